import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Evidence, Finding, Quantity, Spans, Table } from "../../api/types";
import type { Listed } from "../../model/findings";
import { WORDS } from "../../model/glossary";
import { spotOfLane, type Spot } from "../../model/spots";
import { DataTable, Quantities } from "../../ui/data_table";
import { Chevron } from "../../ui/icons";
import { MiniTimeline } from "../../ui/mini_timeline";
import { type ShowSpot } from "../../ui/spot_button";
import { Prose, Sentence } from "../../ui/text";
import { Chip } from "../../ui/verdict";

function only<Kind extends Evidence["kind"]>(evidence: readonly Evidence[], kind: Kind) {
  return evidence.filter((entry): entry is Extract<Evidence, { kind: Kind }> => entry.kind === kind);
}

/** How evidence leads to the timeline: by itself, or by the name in a row. */
export interface Shows {
  byName: ReadonlyMap<string, Spot>;
  onSpot: ShowSpot;
}

/** Leads to the longest event of each lane of evidence. */
function LaneSpots({ lanes, onSpot }: { lanes: readonly Spans[]; onSpot: ShowSpot }): JSX.Element | null {
  const found = lanes.flatMap((lane) => {
    const spot = spotOfLane(lane);
    return spot ? [{ lane: lane.lane, spot }] : [];
  });
  if (found.length === 0) return null;
  return (
    <p class="lane-spots">
      Show on the timeline:{" "}
      {found.map(({ lane, spot }, index) => (
        <button key={index} type="button" class="link" onClick={() => onSpot(spot)}>
          <bdi>{lane}</bdi> <span aria-hidden="true">→</span>
        </button>
      ))}
    </p>
  );
}

interface FindingProps {
  finding: Finding;
  shows: Shows | null;
}

function EvidenceView({ finding, shows }: FindingProps): JSX.Element {
  const spans: Spans[] = only(finding.evidence, "spans");
  const quantities: Quantity[] = only(finding.evidence, "quantity");
  const tables: Table[] = only(finding.evidence, "table");
  return (
    <div class="evidence">
      <h3>Evidence</h3>
      {finding.evidence.length === 0 && (
        <p>The statement is about the whole trace; it rests on no single event.</p>
      )}
      <MiniTimeline lanes={spans} verdict={finding.verdict} />
      {shows && <LaneSpots lanes={spans} onSpot={shows.onSpot} />}
      {quantities.length > 0 && <Quantities quantities={quantities} />}
      {tables.map((table, index) => (
        <DataTable key={index} table={table} shows={shows} />
      ))}
    </div>
  );
}

function Background({ link }: { link: string }): JSX.Element | null {
  if (!/^https?:\/\//.test(link)) return null;
  return (
    <p class="background">
      <a href={link} target="_blank" rel="noopener noreferrer">
        Background
      </a>{" "}
      <span class="dim">{link.replace(/^https?:\/\/([^/]+).*$/, "$1")}</span>
    </p>
  );
}

function Body({ finding, shows }: FindingProps): JSX.Element {
  return (
    <div class="finding-body">
      <div>
        <Prose text={finding.text} />
        {finding.advice !== "" && (
          <>
            <h3>What to do</h3>
            <Prose text={finding.advice} />
          </>
        )}
        <Background link={finding.link} />
      </div>
      <EvidenceView finding={finding} shows={shows} />
    </div>
  );
}

function Stake({ entry }: { entry: Listed }): JSX.Element {
  const { finding, bar, stake, note } = entry;
  return (
    <span class="stake">
      {bar === null ? (
        <span />
      ) : (
        <span class="bar">
          <i class={finding.verdict} style={{ width: `${Math.max(1.5, 100 * bar)}%` }} />
        </span>
      )}
      <span class="amount">
        <b>{stake}</b> <small>{note}</small>
      </span>
    </span>
  );
}

const SETTLE_MS = 50;

interface Props {
  entry: Listed;
  open: boolean;
  /** How often the page was asked to bring this finding into view; null: it was not. */
  reveal: number | null;
  shows: Shows | null;
  onToggle: () => void;
}

export function FindingRow({ entry, open, reveal, shows, onToggle }: Props): JSX.Element {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!open || reveal === null) return undefined;
    // The strip takes its height from its table, one frame after the first.
    const timer = window.setTimeout(() => {
      row.current?.scrollIntoView({ block: "start" });
      if (reveal > 0) row.current?.querySelector("button")?.focus({ preventScroll: true });
    }, SETTLE_MS);
    return () => window.clearTimeout(timer);
  }, [open, reveal]);
  const wasOpen = useRef(open);
  useEffect(() => {
    // Opened by hand below the fold, what it says would stay out of sight.
    if (open && !wasOpen.current && reveal === null) row.current?.scrollIntoView({ block: "nearest" });
    wasOpen.current = open;
  }, [open]);
  const body = `finding-${entry.key}`;
  return (
    <article ref={row} class={open ? "finding open" : "finding"}>
      <h3>
        <button
          type="button"
          class="finding-head"
          aria-expanded={open}
          aria-controls={body}
          aria-description={entry.finding.verdict === "artifact" ? WORDS.artefact : undefined}
          onClick={onToggle}
        >
          <Chip verdict={entry.finding.verdict} />
          <span class="title">
            <Sentence text={entry.finding.title} />
          </span>
          <Stake entry={entry} />
          <Chevron />
        </button>
      </h3>
      <div id={body} hidden={!open}>
        {open && <Body finding={entry.finding} shows={shows} />}
      </div>
    </article>
  );
}
