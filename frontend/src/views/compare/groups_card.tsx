import { Fragment, type JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Comparison, FusionGroup, GroupKernel, GroupSide } from "../../api/types";
import { bytes, count, time } from "../../model/format";
import { byChange, KINDS, kindWords } from "../../model/fusion";
import { Chevron } from "../../ui/icons";
import { Picker } from "../../ui/picker";
import { Name, Sentence } from "../../ui/text";
import { ConfidenceMeter } from "../../ui/verdict";
import { SideHeads } from "./side_heads";

const FIRST_ROWS = 15;

function KernelRow({ kernel }: { kernel: GroupKernel }): JSX.Element {
  return (
    <li>
      <bdi class="mono whole">{kernel.name}</bdi>
      <span class="dim">
        {count(kernel.count)} × · {time(kernel.time_us)}
        {kernel.ops.length > 0 && (
          <>
            {" · "}
            <bdi>{kernel.ops.join(", ")}</bdi>
          </>
        )}
      </span>
    </li>
  );
}

function SideView({ letter, side }: { letter: string; side: GroupSide }): JSX.Element {
  return (
    <div>
      <h3>
        {letter}
        {side.bytes !== null && <span class="dim"> · {bytes(side.bytes)} copied or set</span>}
      </h3>
      {side.kernels.length === 0 ? (
        <p class="dim">Nothing.</p>
      ) : (
        <ul class="kernels">
          {side.kernels.map((kernel) => (
            <KernelRow key={kernel.name} kernel={kernel} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Detail({ group }: { group: FusionGroup }): JSX.Element {
  return (
    <div class="group-body">
      <p class="group-title">
        <Sentence text={group.title} />
      </p>
      <p class="why">
        <ConfidenceMeter confidence={group.confidence} why={group.why} />
      </p>
      <div class="group-sides">
        <SideView letter="A" side={group.baseline} />
        <SideView letter="B" side={group.candidate} />
      </div>
    </div>
  );
}

interface RowProps {
  id: string;
  group: FusionGroup;
  open: boolean;
  onToggle: () => void;
}

function GroupRow({ id, group, open, onToggle }: RowProps): JSX.Element {
  const { kind, baseline, candidate } = group;
  const cell = (side: GroupSide, text: string): JSX.Element => (
    <td class="num">{side.events === 0 ? <span class="dim">–</span> : text}</td>
  );
  return (
    <Fragment>
      <tr class={open ? "group open" : "group"} onClick={onToggle}>
        <th scope="row">
          <button
            type="button"
            aria-expanded={open}
            aria-controls={id}
            onClick={(event) => (event.stopPropagation(), onToggle())}
          >
            <Chevron />
            <i class={`swatch kind-${kind}`} />
            <Name text={group.title} />
          </button>
        </th>
        <td class="kind">{kindWords(kind).label}</td>
        {cell(baseline, count(baseline.events))}
        {cell(candidate, count(candidate.events))}
        {cell(baseline, time(baseline.time_us))}
        {cell(candidate, time(candidate.time_us))}
      </tr>
      {open && (
        <tr class="detail" id={id}>
          <td colSpan={6}>
            <Detail group={group} />
          </td>
        </tr>
      )}
    </Fragment>
  );
}

function kindOptions(groups: readonly FusionGroup[]): { value: string; label: string }[] {
  const counted = KINDS.map(({ kind, label }) => ({
    kind,
    label,
    found: groups.filter((g) => g.kind === kind).length,
  }));
  const options = counted.filter(({ found }) => found > 0);
  return [
    { value: "", label: `all ${count(groups.length)}` },
    ...options.map(({ kind, label, found }) => ({
      value: kind,
      label: `${label.toLowerCase()} ${count(found)}`,
    })),
  ];
}

/** The groups one by one, with the kernels of both sides, and how sure each match is. */
export function GroupsCard({ comparison }: { comparison: Comparison }): JSX.Element | null {
  const { groups, group_summary: summary } = comparison;
  const [kind, setKind] = useState("");
  const [opened, setOpened] = useState<string | null>(null);
  const [all, setAll] = useState(false);
  const sorted = useMemo(() => byChange(groups), [groups]);
  if (groups.length === 0) return null;
  const wanted = sorted.filter(({ group }) => kind === "" || group.kind === kind);
  const shown = all ? wanted : wanted.slice(0, FIRST_ROWS);
  return (
    <section class="card groups" aria-label="Groups">
      <header>
        <h2>{summary.of === "gpu" ? "Kernels behind the map" : "Operators behind the map"}</h2>
        <span class="hint">the largest difference first; a row opens to its full names</span>
        <span class="spacer" />
        <Picker label="Kind" value={kind} options={kindOptions(groups)} onPick={setKind} />
      </header>
      <table>
        <thead>
          <tr>
            <th scope="col">Group</th>
            <th scope="col">Kind</th>
            <SideHeads />
          </tr>
        </thead>
        <tbody>
          {shown.map(({ group, key }) => (
            <GroupRow
              key={key}
              id={`group-${key}`}
              group={group}
              open={opened === key}
              onToggle={() => setOpened(opened === key ? null : key)}
            />
          ))}
        </tbody>
      </table>
      {wanted.length > shown.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {count(wanted.length - shown.length)} more
        </button>
      )}
    </section>
  );
}
