// The small timeline of a finding: lanes of spans on one time axis, in shares of its width.

import type { Spans, Verdict } from "../api/types";
import { time } from "./format";
import { roundUp } from "./strip";

export type SpanLook =
  "compute" | "communication" | "copy" | "wait-busy" | "launch" | "step" | "dispatch" | "profiler";

export interface Box {
  left: number;
  width: number;
  row: number;
  look: SpanLook;
  name: string;
  title: string;
}

export interface LaneBoxes {
  name: string;
  rows: number;
  boxes: readonly Box[];
}

export interface MiniTimeline {
  lanes: readonly LaneBoxes[];
  ticks: readonly { left: number; label: string }[];
}

const MAX_ROWS = 4;
const PADDING = 0.02;
/** Boxes that end within this share of the one before, in its row, are drawn as part of it. */
const MERGE = 1 / 900;

export function spanLook(lane: string, name: string, verdict: Verdict): SpanLook {
  if (/\b(gpu|stream|device|kernels?)\b/i.test(lane)) {
    if (/nccl|rccl|all_?reduce|all_?gather/i.test(name)) return "communication";
    return /memcpy|memset/i.test(name) ? "copy" : "compute";
  }
  if (/^ProfilerStep/.test(name)) return "step";
  if (/synchroni[sz]e|memcpy|\.item\b|wait/i.test(name))
    return verdict === "artifact" ? "profiler" : "wait-busy";
  return /launch/i.test(name) ? "launch" : "dispatch";
}

interface Axis {
  from: number;
  length: number;
}

function axisOf(lanes: readonly Spans[]): Axis | null {
  const spans = lanes.flatMap((lane) => lane.spans);
  if (spans.length === 0) return null;
  const from = spans.reduce((least, span) => Math.min(least, span.start_us), Infinity);
  const to = spans.reduce((most, span) => Math.max(most, span.start_us + span.duration_us), -Infinity);
  const length = Math.max(to - from, 0.001);
  return { from: from - PADDING * length, length: (1 + 2 * PADDING) * length };
}

/** Rows by nesting: a span goes to the first row that is free at its start. */
function laneBoxes(lane: Spans, axis: Axis, verdict: Verdict): LaneBoxes {
  const ends: number[] = [];
  const boxes: Box[] = [];
  const spans = [...lane.spans].sort((a, b) => a.start_us - b.start_us || b.duration_us - a.duration_us);
  for (const span of spans) {
    const left = (span.start_us - axis.from) / axis.length;
    const width = span.duration_us / axis.length;
    const free = ends.findIndex((end) => end <= left + 1e-9);
    const row = free >= 0 ? free : Math.min(ends.length, MAX_ROWS - 1);
    const right = Math.max(ends[row] ?? 0, left + width);
    if (width < MERGE && ends[row] !== undefined && right - ends[row] < MERGE) continue;
    ends[row] = right;
    const look = spanLook(lane.lane, span.name, verdict);
    const title = `${span.name}\n${time(span.duration_us)}, from ${time(span.start_us)}`;
    boxes.push({ left, width, row, look, name: span.name, title });
  }
  return { name: lane.lane, rows: Math.max(1, ends.length), boxes };
}

function axisTicks(axis: Axis): MiniTimeline["ticks"] {
  const gap = roundUp(axis.length / 6);
  const marks: { left: number; label: string }[] = [];
  for (let us = Math.ceil(axis.from / gap) * gap; us < axis.from + axis.length; us += gap) {
    const left = (us - axis.from) / axis.length;
    if (left > 0.03 && left < 0.95) marks.push({ left, label: tickLabel(us, gap) });
  }
  return marks;
}

/** As many decimals as the distance between ticks asks for, which three digits may not give. */
function tickLabel(us: number, gap: number): string {
  const size = Math.max(Math.abs(us), gap);
  const [divisor, unit] = size >= 1e6 ? [1e6, "s"] : size >= 1e3 ? [1e3, "ms"] : [1, "µs"];
  const decimals = Math.max(0, Math.ceil(-Math.log10(gap / divisor) - 1e-9));
  return `${(us / divisor).toFixed(Math.min(6, decimals)).replace("-", "−")}\u202f${unit}`;
}

export function miniTimeline(lanes: readonly Spans[], verdict: Verdict): MiniTimeline | null {
  const axis = axisOf(lanes);
  if (axis === null) return null;
  return { lanes: lanes.map((lane) => laneBoxes(lane, axis, verdict)), ticks: axisTicks(axis) };
}
