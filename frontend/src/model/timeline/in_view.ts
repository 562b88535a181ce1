// What the window in sight holds, as two short tables: work on the GPU, and where time went without any.

import type { InView, LaneInfo, WorkInView } from "../../api/types";
import { join, percentFigure, plural, time } from "../format";
import { IDLE_CAUSES } from "../idle_causes";
import type { Fill } from "../parts";
import { laneTitle } from "./layout";
import { COMMUNICATION } from "./looks";
import type { View } from "./view";

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
  range: View;
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

/** The cause that took most of a gap, and how much of it where that is not all. */
function gapWords(causes: Readonly<Record<string, number>>, duration_us: number): [string, Fill, string] {
  const [name, us] = Object.entries(causes).reduce((most, each) => (each[1] > most[1] ? each : most), [
    "",
    0,
  ] as [string, number]);
  const known = IDLE_CAUSES.find(([cause]) => cause === name);
  if (!known) return ["GPU without work, outside the steps", "unknown", ""];
  const share = us / duration_us;
  const note = share < WHOLE ? `${join(percentFigure(share))} of it` : "";
  return [`GPU idle: ${known[1]}`, known[2], note];
}

/** The longest waits and gaps together. */
export function lossRows(found: InView, lanes: readonly LaneInfo[]): LossRow[] {
  const several = found.devices.length > 1;
  const gaps = found.gaps.map((gap): LossRow => {
    const [label, fill, note] = gapWords(gap.causes, gap.duration_us);
    return {
      ...{ fill, note, start_us: gap.start_us, in_view_us: gap.in_view_us },
      label: several ? `${label}, device ${gap.device}` : label,
      range: { from: gap.start_us, to: gap.start_us + gap.duration_us },
    };
  });
  const waits = found.waits.map((wait): LossRow => {
    const lane = lanes[wait.lane];
    return {
      fill: wait.gpu_busy_us > 0 ? "wait-busy" : "wait-idle",
      label: `${lane ? laneTitle(lane)[0] : "CPU"} waits`,
      note: `GPU busy for ${time(wait.gpu_busy_us)} of it`,
      ...{ start_us: wait.start_us, in_view_us: wait.in_view_us },
      range: { from: wait.start_us, to: wait.start_us + wait.in_view_us },
    };
  });
  return [...gaps, ...waits].sort((a, b) => b.in_view_us - a.in_view_us).slice(0, ROWS);
}

const ROWS = 6;

/** How busy the GPU is in the window, in words. */
export function busyText({ devices, from_us, to_us, kernels, launches }: InView): string {
  const busy_us = devices.reduce((sum, device) => sum + device.busy_us, 0);
  const share = join(percentFigure(busy_us / (devices.length * (to_us - from_us))));
  const busy =
    devices.length === 1
      ? `${share} busy, ${time(busy_us)}`
      : `${share} busy, ${devices.length} devices together`;
  return `${busy}; ${plural(kernels, "kernel")}, ${plural(launches, "launch").replace(/launchs$/, "launches")}`;
}

export function idleText({ devices, gaps_count }: InView): string {
  const idle_us = devices.reduce(
    (sum, device) => sum + Object.values(device.idle_us).reduce((all, us) => all + us, 0),
    0,
  );
  return `GPU idle ${time(idle_us)}, ${plural(gaps_count, "gap")}`;
}
