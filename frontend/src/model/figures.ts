// The key figures: what each tile shows, and why where it shows nothing.

import type { Report, Step } from "../api/types";
import { TILES } from "./glossary";
import { percentFigure, ranges, sentence, time, timeFigure, type Figure } from "./format";
import { deviceIds, gpuSide, hasGpuWork, isAveraged, missingReason, windowOf } from "./steps";

export interface Point {
  value: number | null;
  settled: boolean;
}

// Less time between device windows than this share of the pace is told by nobody.
const MIN_BETWEEN = 0.05;

export interface Tile {
  label: string;
  /** One sentence. */
  meaning: string;
  /** null: not measured, and `note` says why. */
  figure: Figure | null;
  note: string;
  points: readonly Point[];
}

function points(report: Report, value: (step: Step) => number | null): Point[] {
  return report.steps.map((step) => ({ value: value(step), settled: step.settled === true }));
}

function tile(
  [label, meaning]: readonly [string, string],
  us: number | null,
  note: string,
  series: readonly Point[],
): Tile {
  return { label, meaning, figure: us === null ? null : timeFigure(us), note, points: series };
}

function averagedSteps(report: Report): Step[] {
  return report.steps.filter((step) => isAveraged(report, step));
}

/** What one step costs, by its own figures: the longest of its CPU period and its GPU periods, if all are known. */
function stepPace(step: Step): number | null {
  const gpu = (step.gpu ?? []).map((part) => part.period_us);
  const known = gpu.filter((period) => period !== null);
  return known.length < gpu.length ? null : Math.max(step.period_us ?? step.duration_us, ...known);
}

export function isUnnumbered(report: Report): boolean {
  return report.steps.some((step) => step.number === null);
}

function paceTile(report: Report): Tile {
  const { duration_us, gpu_window_us } = report.summary;
  if (report.pace_us === null) {
    const unnumbered = isUnnumbered(report);
    const why = unnumbered ? "not split into steps, so no pace" : "CPU span; one step alone gives no pace";
    const name = unnumbered
      ? (["Recorded time", TILES.recorded] as const)
      : (["Step time", TILES.span] as const);
    return tile(name, duration_us, duration_us === null ? "no step was recorded" : why, []);
  }
  const span = duration_us === null ? [] : [`CPU span ${time(duration_us)}`];
  const gpu = gpu_window_us === null ? [] : [`GPU ${time(gpu_window_us)}`];
  return tile(
    ["Step pace", TILES.pace],
    report.pace_us,
    [...span, ...gpu].join(", "),
    points(report, stepPace),
  );
}

function busyTile(report: Report): Tile {
  const { gpu_busy_share, gpu_busy_us, gpu_idle_us, device } = report.summary;
  const busyShare = (step: Step): number | null => {
    const side = gpuSide(step, device);
    const part = side.state === "measured" ? side.part : null;
    const window = part === null ? null : windowOf(step, part);
    return part !== null && window ? 1 - part.idle_us / window : null;
  };
  const series = points(report, busyShare);
  const label = deviceIds(report).length > 1 && device !== null ? `GPU ${device} busy` : "GPU busy";
  if (gpu_busy_share !== null) {
    const figure = percentFigure(gpu_busy_share);
    return { label, meaning: TILES.share, figure, note: busyNote(report), points: series };
  }
  const name = [label, TILES.busy] as const;
  if (gpu_busy_us === null) return tile(name, null, gpuReason(report, ["gpu_busy_share", "gpu"]), series);
  const idle = gpu_idle_us === null ? "idle time not measured" : `${time(gpu_idle_us)} idle`;
  const why = isUnnumbered(report) ? "" : "; no share: recording began here";
  return tile(name, gpu_busy_us, idle + why, series);
}

/** A device window shorter than the pace leaves time without work between the windows: that is told. */
function busyNote(report: Report): string {
  const { gpu_idle_us, gpu_window_us, lost_us } = report.summary;
  const base = gpu_window_us === null ? "" : ` of ${time(gpu_window_us)}`;
  const { pace_us } = report;
  const between = pace_us === null || lost_us === null ? 0 : lost_us - (gpu_idle_us ?? 0);
  if (pace_us === null || lost_us === null || between <= MIN_BETWEEN * pace_us)
    return `of its own window${base}; idle ${gpu_idle_us === null ? "not measured" : time(gpu_idle_us)}`;
  return `of its own window${base}; nothing ran for ${time(lost_us)} of the step’s ${time(pace_us)}`;
}

function gpuReason(report: Report, fields: readonly string[]): string {
  const steps = [...averagedSteps(report), ...report.steps];
  const reason = missingReason(steps, fields);
  if (reason !== null) return reason;
  return steps.some((step) => (step.gpu ?? []).length > 0)
    ? "this trace does not tell"
    : "no GPU work was recorded";
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return ((sorted[half] ?? 0) + (sorted[(sorted.length - 1) >> 1] ?? 0)) / 2;
}

/** What the recoverable part is a part of: explicit waits, and those hidden in other calls. */
function waitsText(report: Report, bubble_us: number): string {
  const syncs = averagedSteps(report).map((step) => step.sync);
  if (syncs.every((sync) => sync.total_us + sync.implicit_us === 0)) return "no waiting call in a step";
  const waits = median(syncs.map((sync) => sync.total_us)) + median(syncs.map((sync) => sync.implicit_us));
  // Bubbles of several GPUs, or after a wait in another step, may add up to more than a step's waits.
  return bubble_us <= waits ? `of ${time(waits)} in calls that wait` : `${time(waits)} in calls that wait`;
}

function syncTile(report: Report): Tile {
  const { bubble_us } = report.summary;
  const name = ["Recoverable sync", TILES.sync] as const;
  const series = points(report, (step) => step.sync.bubble_us);
  const fields = ["sync.bubble_us", "bubble_us", "sync", "gpu"];
  if (bubble_us === null) return tile(name, null, gpuReason(report, fields), series);
  return tile(name, bubble_us, waitsText(report, bubble_us), series);
}

/** The averaged steps that the summary's GPU figures are of: those whose GPU period is known, if any is. */
export function gpuSteps(report: Report): { steps: readonly Step[]; periodKnown: boolean } {
  const measured = averagedSteps(report).flatMap((step) => {
    const side = gpuSide(step, report.summary.device);
    return side.state === "measured" ? [{ step, period_us: side.part.period_us }] : [];
  });
  const known = measured.filter(({ period_us }) => period_us !== null);
  const periodKnown = known.length > 0;
  return { steps: (periodKnown ? known : measured).map(({ step }) => step), periodKnown };
}

/** The averaged steps whose lane offset is known. */
export function offsetSteps(report: Report): Step[] {
  return averagedSteps(report).filter((step) => step.lane_offset.first_us !== null);
}

/** Whose a figure of the summary is; `steps`: the averaged ones that have it, where not all do. */
export function whoseText({ headline }: Report, steps?: readonly Step[]): string {
  const numbers = steps?.map((step) => step.number) ?? headline.steps;
  const [number] = numbers;
  if (numbers.length > 1) return `median of the ${headline.settled ? "settled" : "averaged"} steps`;
  return number == null ? "whole recording" : `step ${number}`;
}

function offsetNote(report: Report): string {
  const steps = offsetSteps(report);
  const offsets = steps.map((step) => step.lane_offset.first_us).filter((value) => value !== null);
  const [first, last] = [offsets[0], offsets.at(-1)];
  const whose = whoseText(report, steps);
  if (first === undefined || last === undefined || offsets.length < 2) return whose;
  const even = Math.max(...offsets) - Math.min(...offsets) <= 0.1 * Math.max(...offsets);
  return even
    ? `${whose}, hardly different from step to step`
    : `${whose}; first ${time(first)}, last ${time(last)}`;
}

function offsetTile(report: Report): Tile {
  const { first_us } = report.summary;
  const series = points(report, (step) => step.lane_offset.first_us);
  const fields = ["lane_offset.first_us", "lane_offset", "gpu"];
  const note = first_us === null ? gpuReason(report, fields) : offsetNote(report);
  return tile(["Lane offset", TILES.offset], first_us, note, series);
}

export interface KeyFigures {
  tiles: readonly Tile[];
  /** One sentence instead of the GPU's tiles without a figure, in a run of the CPU alone; else null. */
  without: string | null;
}

export function keyFigures(report: Report): KeyFigures {
  const gpu = [busyTile(report), syncTile(report), offsetTile(report)];
  const missing = hasGpuWork(report) ? [] : gpu.filter((entry) => entry.figure === null);
  const tiles = [paceTile(report), ...gpu.filter((entry) => !missing.includes(entry))];
  const [first] = missing;
  if (first === undefined) return { tiles, without: null };
  const names = missing.map((entry) =>
    entry.label.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()),
  );
  return { tiles, without: sentence(`${listed(names)} cannot be told: ${first.note}`) };
}

/** `a`, `a and b`, `a, b and c`. */
function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}

/** Which steps the averages are over, as the context bar says it. */
export function averagesText(report: Report): string {
  const numbers = report.headline.steps.filter((number) => number !== null);
  if (numbers.length === 0) return report.steps.length > 0 ? "Not split into steps" : "No steps";
  const { settled } = report.headline;
  const known = settled === null ? ", not known to be settled" : settled ? "" : ", not settled";
  if (numbers.length === 1) return `No averages: only step ${numbers[0]}${known}`;
  return `Averages: steps ${ranges(numbers)}${known}`;
}
