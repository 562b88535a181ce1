// Where the timeline shows what a row of the report is about.

import type { Finding, Gap, KernelRow, Report, Spans } from "../api/types";

/** An event to choose, a range in µs from the first step’s start to look at, or both. */
export interface Spot {
  event: number | null;
  range_us: readonly [number, number] | null;
}

/** So much of its length is shown before and after a range. */
const ROOM = 0.6;

export function spotOfEvent(event: number | null): Spot | null {
  return event === null ? null : { event, range_us: null };
}

/** A range with some room; `event`: what is chosen in it. */
export function spotOfRange(start_us: number, duration_us: number, event: number | null = null): Spot {
  const room = ROOM * Math.max(duration_us, 0.001);
  return { event, range_us: [start_us - room, start_us + duration_us + room] };
}

/** The time without work, and what ended it. */
export function spotOfGap(gap: Gap): Spot {
  return spotOfRange(gap.start_us, gap.duration_us, gap.after_event);
}

/** Of the listed gaps the one that lost most to a cause on a device. */
export function spotOfCause(report: Report, device: number, lost: (gap: Gap) => number): Spot | null {
  const gaps = (report.gaps?.longest ?? []).filter((gap) => gap.device === device && lost(gap) > 0);
  const [first, ...rest] = gaps;
  return first ? spotOfGap(rest.reduce((most, gap) => (lost(gap) > lost(most) ? gap : most), first)) : null;
}

/** The longest event of a lane of evidence. */
export function spotOfLane({ spans }: Spans): Spot | null {
  const known = spans.filter((span) => span.event !== null);
  const [first, ...rest] = known;
  if (!first) return null;
  return spotOfEvent(
    rest.reduce((most, span) => (span.duration_us > most.duration_us ? span : most), first).event,
  );
}

/** The first event of a finding’s evidence that the timeline can show. */
export function spotOfFinding({ evidence }: Finding): Spot | null {
  const lanes = evidence.filter((each): each is Spans => each.kind === "spans");
  const isSteps = ({ spans }: Spans): boolean => spans.every(({ name }) => name.startsWith("ProfilerStep"));
  // The steps are where it happens, and tell least of what happens.
  lanes.sort((a, b) => Number(isSteps(a)) - Number(isSteps(b)));
  return lanes.map(spotOfLane).find((spot) => spot !== null) ?? null;
}

/** By name, the longest event of kernels, copies, operators and annotations. */
export function spotsByName(report: Report): ReadonlyMap<string, Spot> {
  const tables = [report.annotations, report.operators, report.copies, report.kernels];
  const rows = tables.flatMap((table): readonly { name: string; longest_event: number | null }[] =>
    table === null ? [] : table.rows,
  );
  return new Map(
    rows.flatMap(({ name, longest_event }) => {
      const spot = spotOfEvent(longest_event);
      return spot ? [[name, spot] as const] : [];
    }),
  );
}

/** The kernel that an advice names, in short; null: it names none that the report lists. */
function kernelNamed({ kernels }: Report, advice: string): KernelRow | null {
  const named = /^Look at (.+?)…? first\./u.exec(advice)?.[1];
  if (named === undefined) return null;
  const plain = (name: string): string => name.replaceAll("(anonymous namespace)::", "");
  return kernels?.rows.find(({ name }) => plain(name).includes(named)) ?? null;
}

/** Where an advice without a finding leads, and what people call what it names; nulls where that is not known. */
export function shownByAdvice(report: Report, advice: string): { human: string | null; spot: Spot | null } {
  const kernel = kernelNamed(report, advice);
  if (kernel) return { human: kernel.human, spot: spotOfEvent(kernel.longest_event) };
  const copies = advice.startsWith("Move fewer bytes") ? (report.copies?.rows ?? []) : [];
  const copy = copies.find(({ kind }) => kind === "copy");
  return { human: null, spot: spotOfEvent(copy?.longest_event ?? null) };
}
