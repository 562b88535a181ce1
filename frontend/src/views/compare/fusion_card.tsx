import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Comparison, GroupKind, GroupTotals } from "../../api/types";
import { count, plural, time } from "../../model/format";
import { fusionMap, KINDS, kindWords, type FusionMap, type Piece, type Segment } from "../../model/fusion";
import { Sentence } from "../../ui/text";
import { SideHeads } from "./side_heads";

const px = (value: number): string => `${value.toFixed(1)}px`;

/** The band between a group's two pieces. */
function Band({ segment }: { segment: Segment }): JSX.Element | null {
  const { baseline: a, candidate: b, kind } = segment;
  if (a === null || b === null) return null;
  const corners = [
    `0 ${px(a.top)}`,
    `100% ${px(b.top)}`,
    `100% ${px(b.top + b.height)}`,
    `0 ${px(a.top + a.height)}`,
  ];
  return <i class={`band kind-${kind}`} style={{ clipPath: `polygon(${corners.join(", ")})` }} />;
}

function Block({
  piece,
  kind,
  title,
}: {
  piece: Piece | null;
  kind: GroupKind;
  title: string;
}): JSX.Element | null {
  if (piece === null) return null;
  return (
    <i
      class={`block kind-${kind}`}
      title={`${title}\n${piece.text}`}
      style={{ top: px(piece.top), height: px(piece.height) }}
    />
  );
}

interface LabelProps {
  piece: Piece | null;
  title: string;
  dim: boolean;
}

function Label({ piece, title, dim }: LabelProps): JSX.Element | null {
  if (piece === null) return null;
  return (
    <div class="map-label" style={{ top: px(piece.label) }}>
      <bdi class={dim ? "name dim" : "name"} title={title}>
        {title}
      </bdi>
      <span class="dim">{piece.text}</span>
    </div>
  );
}

/** Lines from pieces to labels that had to move. */
function Leaders({ map, side }: { map: FusionMap; side: "baseline" | "candidate" }): JSX.Element {
  const [from, to] = side === "baseline" ? [14, 0] : [0, 14];
  return (
    <svg class="leaders" width="14" height={map.height} aria-hidden="true">
      {map.segments.map((segment) => {
        const piece = segment[side];
        if (piece === null) return null;
        return (
          <line key={segment.key} x1={from} y1={piece.top + piece.height / 2} x2={to} y2={piece.label} />
        );
      })}
    </svg>
  );
}

/** A matched group has its title on the left; on the right it says what became of it, or that it stayed. */
function rightTitle({ baseline, kind, title }: Segment): string {
  return baseline === null || kind === "unchanged" ? title : kindWords(kind).label;
}

function Drawing({ map }: { map: FusionMap }): JSX.Element {
  return (
    <div class="fusion-map" style={{ height: px(map.height) }} aria-hidden="true">
      <div class="map-labels left">
        {map.segments.map((segment) => (
          <Label key={segment.key} piece={segment.baseline} title={segment.title} dim={false} />
        ))}
      </div>
      <Leaders map={map} side="baseline" />
      <div class="map-stack">
        {map.segments.map((segment) => (
          <Block key={segment.key} piece={segment.baseline} kind={segment.kind} title={segment.title} />
        ))}
      </div>
      <div class="map-bands">
        {map.segments.map((segment) => (
          <Band key={segment.key} segment={segment} />
        ))}
      </div>
      <div class="map-stack">
        {map.segments.map((segment) => (
          <Block key={segment.key} piece={segment.candidate} kind={segment.kind} title={segment.title} />
        ))}
      </div>
      <Leaders map={map} side="candidate" />
      <div class="map-labels right">
        {map.segments.map((segment) => (
          <Label
            key={segment.key}
            piece={segment.candidate}
            title={rightTitle(segment)}
            dim={segment.baseline !== null}
          />
        ))}
      </div>
    </div>
  );
}

const NONE = <span class="dim">–</span>;

function events(totals: GroupTotals | undefined, side: "baseline" | "candidate"): JSX.Element | string {
  const found = totals?.[`${side}_events`] ?? 0;
  return found === 0 ? NONE : count(found);
}

function spent(totals: GroupTotals | undefined, side: "baseline" | "candidate"): JSX.Element | string {
  const found = totals?.[`${side}_events`] ?? 0;
  return found === 0 ? NONE : time(totals?.[`${side}_us`] ?? 0);
}

/** The legend of the drawing, and what all groups of a kind come to. */
function Totals({ comparison }: { comparison: Comparison }): JSX.Element {
  const { group_summary: summary } = comparison;
  const totals = new Map(summary.totals.map((entry) => [entry.kind, entry]));
  const shown = KINDS.filter(({ kind }) => kind !== "unattributed" || totals.has(kind));
  return (
    <table class="totals">
      <thead>
        <tr>
          <th scope="col">Kind</th>
          <SideHeads />
          <td />
        </tr>
      </thead>
      <tbody>
        {shown.map(({ kind, label, meaning }) => (
          <tr key={kind} class={totals.has(kind) ? "" : "zero"}>
            <th scope="row">
              <i class={`swatch kind-${kind}`} />
              {label}
            </th>
            <td class="num">{events(totals.get(kind), "baseline")}</td>
            <td class="num">{events(totals.get(kind), "candidate")}</td>
            <td class="num">{spent(totals.get(kind), "baseline")}</td>
            <td class="num">{spent(totals.get(kind), "candidate")}</td>
            <td class="dim meaning">{meaning}</td>
          </tr>
        ))}
        <tr class="sum">
          <th scope="row">Whole</th>
          <td />
          <td />
          <td class="num">{time(summary.baseline_us)}</td>
          <td class="num">{time(summary.candidate_us)}</td>
          <td class="dim meaning">{plural(comparison.groups.length, "group")}, listed below</td>
        </tr>
      </tbody>
    </table>
  );
}

function subject({ group_summary: summary, steps: { typical } }: Comparison): string {
  const of = summary.of === "gpu" ? "GPU time" : "CPU time of the operators";
  if (typical.baseline === null || typical.candidate === null) return `${of} of the two recordings`;
  return `${of} of typical steps: step ${typical.baseline} of A left, step ${typical.candidate} of B right`;
}

/** What the two typical steps consist of, and what became of each part. */
export function FusionCard({ comparison }: { comparison: Comparison }): JSX.Element {
  const { groups, group_summary: summary } = comparison;
  const map = useMemo(() => fusionMap(groups, summary), [comparison]);
  return (
    <section class="card fusion" aria-label="Fusion map">
      <header>
        <h2>Fusion map</h2>
        <span class="hint">{subject(comparison)}</span>
      </header>
      {map === null ? (
        <p class="none">Neither step has work that could be laid side by side.</p>
      ) : (
        <>
          <div class="map-heads" aria-hidden="true">
            <span>A · {time(summary.baseline_us)}</span>
            <span>B · {time(summary.candidate_us)}</span>
          </div>
          <Drawing map={map} />
          <Totals comparison={comparison} />
        </>
      )}
      {summary.note !== null && (
        <p class="note-below">
          <Sentence text={summary.note} />
        </p>
      )}
    </section>
  );
}
