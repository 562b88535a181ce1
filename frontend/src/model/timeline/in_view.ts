// What the window in sight holds, as two short tables: work on the GPU, and where time went without any.

import type { IdleByCause, InView, LaneInfo, WorkInView } from "../../api/types";
import { join, percentFigure, plural, time } from "../format";
import { IDLE_CAUSES } from "../idle_causes";
import type { Fill } from "../parts";
import { laneTitle } from "./layout";
import { COMMUNICATION } from "./looks";
import { writePart } from "./part_address";
import type { Shaded } from "./shaded";

export interface WorkRow {
  fill: Fill;
  label: string;
  /** As the trace has it; cut where it is very long. */
  name: string;
  count: number;
  time_us: number;
  /** Share of the longest row. */
  bar: number;
}

export interface LossRow {
  fill: Fill;
  label: string;
  /** Where it begins, µs. */
  start_us: number;
  in_view_us: number;
  note: string;
  shaded: Shaded;
}

function fillOf({ category, name }: WorkInView): Fill {
  if (category !== "kernel") return "copy";
  return COMMUNICATION.test(name) ? "communication" : "compute";
}

export function workRows({ work }: InView): WorkRow[] {
  const most = Math.max(...work.map((row) => row.time_us), 0);
  return work.map((row) => ({
    fill: fillOf(row),
    label: row.human ?? row.name,
    name: row.name,
    count: row.count,
    time_us: row.time_us,
    bar: most > 0 ? row.time_us / most : 0,
  }));
}

/** A cause that took more of a gap than this is its cause. */
const WHOLE = 0.95;

type GapInView = InView["gaps"][number];
type Cause = keyof IdleByCause;

/** The cause that took most of a gap; null: no device window holds it. */
function mainCause({ causes }: GapInView): Cause | null {
  const known = IDLE_CAUSES.map(([cause]) => [cause, causes[cause] ?? 0] as const);
  const [cause, us] = known.reduce((most, each) => (each[1] > most[1] ? each : most));
  return us > 0 ? cause : null;
}

/** What a gap is called, how it is drawn, and how much of it its main cause took where that is not all. */
function gapWords(gap: GapInView, cause: Cause | null): [string, Fill, string] {
  const known = IDLE_CAUSES.find(([each]) => each === cause);
  if (!known) return ["GPU without work, outside the device windows", "unknown", ""];
  const share = (gap.causes[known[0]] ?? 0) / gap.duration_us;
  const note = share < WHOLE ? `${join(percentFigure(share))} of it` : "";
  return [`GPU idle: ${known[1]}`, known[2], note];
}

function gapRow(gap: GapInView, several: boolean): LossRow {
  const cause = mainCause(gap);
  const [label, fill, note] = gapWords(gap, cause);
  const { device, start_us, duration_us, in_view_us } = gap;
  const parts = IDLE_CAUSES.flatMap(([each, word]): [string, number][] => {
    const us = gap.causes[each] ?? 0;
    return us > 0 && note !== "" ? [[word, us]] : [];
  });
  return {
    ...{ fill, note, start_us, in_view_us },
    label: several ? `${label}, device ${device}` : label,
    shaded: {
      ...{ cause, device, lane: null, start_us, end_us: start_us + duration_us, parts },
      extent: "whole",
    },
  };
}

/** A wait; the answer tells of it as far as it is in the window. */
function waitRow(wait: InView["waits"][number], found: InView, lanes: readonly LaneInfo[]): LossRow {
  const { lane: place, start_us, in_view_us, gpu_busy_us } = wait;
  const lane = lanes[place];
  const busy = gpu_busy_us > 0;
  const end_us = start_us + in_view_us;
  const parts: Shaded["parts"] = [
    ["GPU busy", gpu_busy_us],
    ["GPU idle", in_view_us - gpu_busy_us],
  ];
  const cut = start_us <= found.from_us || end_us >= found.to_us;
  return {
    fill: busy ? "wait-busy" : "wait-idle",
    label: `${lane ? laneTitle(lane)[0] : "CPU"} waits`,
    note: `GPU busy for ${time(gpu_busy_us)} of it`,
    ...{ start_us, in_view_us },
    shaded: {
      ...{ cause: busy ? "wait_gpu_busy" : "wait_gpu_idle", lane: place, device: null },
      ...{ start_us, end_us, extent: cut ? "cut" : "whole" },
      parts: busy && gpu_busy_us < in_view_us ? parts : [],
    },
  };
}

/** All waits and gaps of an answer together, the longest first. */
function losses(found: InView, lanes: readonly LaneInfo[]): LossRow[] {
  const gaps = found.gaps.map((gap) => gapRow(gap, found.devices.length > 1));
  const waits = found.waits.map((wait) => waitRow(wait, found, lanes));
  return [...gaps, ...waits].sort((a, b) => b.in_view_us - a.in_view_us);
}

/** The longest waits and gaps together. */
export function lossRows(found: InView, lanes: readonly LaneInfo[]): LossRow[] {
  return losses(found, lanes).slice(0, ROWS);
}

/** As many rows of a kind has an answer at most: whether there are others, it does not tell. */
const ROWS = 6;

/** Whether there is such shaded time in the window; true where the answer does not tell. */
function isThere({ devices, gaps, waits }: InView, { cause, lane, device }: Shaded): boolean {
  if (device !== null) {
    if (cause === null) return gaps.some((gap) => gap.device === device && mainCause(gap) === null);
    const idle = devices.find((each) => each.device === device)?.idle_us;
    return (idle?.[cause as Cause] ?? 0) > 0;
  }
  if (cause === "closing_wait" || cause === "profiler_work" || waits.length >= ROWS) return true;
  return waits.some((wait) => {
    const us = cause === "wait_gpu_busy" ? wait.gpu_busy_us : wait.in_view_us - wait.gpu_busy_us;
    return wait.lane === lane && us > 0;
  });
}

/** A part with what it is made of, by the answer about its time; null where there is no such time. */
export function partIn(found: InView, part: Shaded, lanes: readonly LaneInfo[]): Shaded | null {
  if (!isThere(found, part)) return null;
  const wanted = writePart(part);
  const rows = losses(found, lanes).map((row) => row.shaded);
  const same = rows.find((row) => writePart({ ...row, extent: part.extent }) === wanted);
  return { ...part, parts: same?.parts ?? [] };
}

/** How busy the GPU is in the window, in words. */
export function busyText({ devices, from_us, to_us, kernels, launches }: InView): string {
  const busy_us = devices.reduce((sum, device) => sum + device.busy_us, 0);
  const share = join(percentFigure(busy_us / (devices.length * (to_us - from_us))));
  const busy =
    devices.length === 1
      ? `${share} busy, ${time(busy_us)}`
      : `${share} busy, ${devices.length} devices together`;
  return `${busy}; ${plural(kernels, "kernel")}, ${plural(launches, "launch", "launches")}`;
}

/** Gaps are counted wherever they are; idle time is that of the steps’ windows, where there are steps. */
export function idleText({ devices, gaps_count }: InView, steps: boolean): string {
  const idle_us = devices.reduce(
    (sum, device) => sum + Object.values(device.idle_us).reduce((all, us) => all + us, 0),
    0,
  );
  const where = steps ? " in the steps’ windows" : "";
  return `GPU idle ${time(idle_us)}${where}; ${plural(gaps_count, "gap")} in view`;
}
