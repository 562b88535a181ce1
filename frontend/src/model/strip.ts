// Where the step strip draws what: pixels only, no analysis.

import type { Report, Step } from "../api/types";
import { time, timeFigure } from "./format";
import { cpuParts, gpuParts, type Fill, type Part } from "./parts";
import { gpuSide, isAveraged, reasonWord, stepKeys, stepName, windowOf } from "./steps";

export const TOP = 20;
const BOTTOM = 46;
const REASON_LINE = 16;
const LABEL_CHARACTER = 6.2;
const LABEL_GAP = 6;
/** As many characters of a reason have room below the name at least. */
const REASON_CHARACTERS = 8;
const MAX_COLUMN = 260;
const HEADROOM = 1.12;
const MIN_COLUMN = 7;
const MAX_BAR = 92;

/** One step, ready to be laid out. */
export interface StripStep {
  key: string;
  name: string;
  reason: string;
  settled: boolean;
  averaged: boolean;
  cpu: readonly Part[];
  cpu_us: number;
  gpu: readonly Part[];
  /** null: this step has no GPU side, and `gpuNote` says why. */
  gpu_us: number | null;
  /** The device's window opened with the recording, so its length means nothing. */
  open: boolean;
  gpuNote: string;
}

export interface Segment {
  fill: Fill;
  y: number;
  height: number;
  title: string;
}

export interface Column {
  step: StripStep;
  x: number;
  segments: readonly Segment[];
  top: number;
  bottom: number;
  tornTop: boolean;
  tornBottom: boolean;
}

export interface Tick {
  y: number;
  label: string;
}

export interface StripLayout {
  height: number;
  axis: number;
  columnWidth: number;
  barWidth: number;
  contentWidth: number;
  /** What a label takes, with some distance. */
  labelWidth: number;
  /** Height of the labels below the bars. */
  bottom: number;
  /** Columns are too narrow for “Step 3 cold start” on one line. */
  reasonBelow: boolean;
  columns: readonly Column[];
  ticks: readonly Tick[];
  unit: string;
}

export interface StripBox {
  width: number;
  height: number;
}

export function stripSteps(report: Report, device: number | null): StripStep[] {
  const keys = stepKeys(report.steps);
  return report.steps.map((step, index) => stripStep(report, step, keys[index] ?? "", device));
}

function stripStep(report: Report, step: Step, key: string, device: number | null): StripStep {
  const side = gpuSide(step, device);
  const measured = side.state === "measured" ? side.part : null;
  return {
    key,
    name: stepName(step),
    reason: step.unsettled_because.map(reasonWord).join(", "),
    settled: step.settled !== false,
    averaged: isAveraged(report, step),
    cpu: cpuParts(step),
    cpu_us: step.duration_us,
    gpu: measured ? gpuParts(measured) : [],
    gpu_us: measured ? measured.window_us : null,
    open: measured !== null && windowOf(step, measured) === null,
    gpuNote: side.state === "missing" ? "not measured" : side.state === "idle" ? "no GPU work" : "",
  };
}

/** The longest value among the steps that set the scale: averaged ones, else all. */
function scaleMax(steps: readonly StripStep[], value: (step: StripStep) => number): number {
  const averaged = steps.filter((step) => step.averaged);
  const closed = averaged.filter((step) => !step.open);
  for (const group of [closed, averaged, steps]) {
    const longest = Math.max(0, ...group.map(value));
    if (longest > 0) return longest * HEADROOM;
  }
  return 0;
}

/** The smallest round number that is not below `value`. */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return (([1, 2, 2.5, 5].find((factor) => factor * power >= value * 0.9999) ?? 10) as number) * power;
}

function stack(
  parts: readonly Part[],
  unit: number,
  room: number,
): { sizes: [Part, number, number][]; torn: boolean } {
  const sizes: [Part, number, number][] = [];
  let at = 0;
  for (const part of parts) {
    const height = Math.min(part.us * unit, room - at);
    if (height > 0.2) sizes.push([part, at, height]);
    at += Math.max(0, height);
  }
  const whole = parts.reduce((sum, part) => sum + part.us, 0) * unit;
  return { sizes, torn: whole > room + 0.5 };
}

function column(
  step: StripStep,
  frame: { axis: number; unit: number; up: number; down: number },
): Omit<Column, "x"> {
  const cpu = stack(step.cpu, frame.unit, frame.up);
  const gpu = stack(step.gpu, frame.unit, frame.down);
  const title = (part: Part): string => `${part.label}: ${time(part.us)}`;
  const above = cpu.sizes.map(([part, at, height]) => {
    return { fill: part.fill, y: frame.axis - at - height, height, title: title(part) };
  });
  const below = gpu.sizes.map(([part, at, height]) => {
    return { fill: part.fill, y: frame.axis + at, height, title: title(part) };
  });
  const end = gpu.sizes.at(-1);
  return {
    step,
    segments: [...above, ...below],
    top: Math.min(frame.axis, ...above.map((segment) => segment.y)),
    bottom: frame.axis + (end ? end[1] + end[2] : 0),
    tornTop: cpu.torn,
    tornBottom: gpu.torn,
  };
}

function ticks(axis: number, unit: number, cpuMax: number, gpuMax: number): { ticks: Tick[]; unit: string } {
  const longest = Math.max(cpuMax, gpuMax);
  if (longest <= 0) return { ticks: [], unit: "" };
  const name = timeFigure(longest).unit;
  const divisor = name === "s" ? 1e6 : name === "ms" ? 1e3 : 1;
  const gap = roundUp(longest / 3);
  const marks: Tick[] = [];
  const put = (us: number, y: number): number =>
    marks.push({ y, label: `${+(us / divisor).toPrecision(6)}` });
  for (let us = gap; us <= gpuMax * 1.001; us += gap) put(us, axis + us * unit);
  for (let us = gap; us <= cpuMax * 1.001; us += gap) put(us, axis - us * unit);
  return { ticks: marks, unit: name };
}

/** Labels where they have room: every so many columns, and at the selected one. */
export function isLabelled(
  index: number,
  selected: number,
  { labelWidth, columnWidth }: Pick<StripLayout, "labelWidth" | "columnWidth">,
): boolean {
  const every = Math.ceil(labelWidth / columnWidth - 1e-9);
  return index === selected || (index % every === 0 && (every === 1 || Math.abs(index - selected) >= every));
}

/** Whether “Step 3 cold start” has room on one line. */
function fitsBeside(step: StripStep, columnWidth: number): boolean {
  return (step.name.length + step.reason.length + 2) * LABEL_CHARACTER < columnWidth;
}

/** The width of the longest name, time or beginning of a reason. */
function labelWidthOf(steps: readonly StripStep[]): number {
  const characters = steps.map((step) =>
    Math.max(
      step.name.length,
      time(step.cpu_us).length,
      step.gpu_us === null ? 0 : time(step.gpu_us).length,
      step.settled ? 0 : Math.min(REASON_CHARACTERS, step.reason.length),
    ),
  );
  return characters.reduce((most, length) => Math.max(most, length), 0) * LABEL_CHARACTER + LABEL_GAP;
}

/** The width of a column, where half a label has room beside the first and the last one. */
function columnWidthOf(steps: number, labelWidth: number, width: number): number {
  const even = width / Math.max(1, steps);
  const inset = even < labelWidth ? (width - labelWidth) / Math.max(1, steps - 1) : even;
  return Math.max(MIN_COLUMN, Math.min(MAX_COLUMN, inset));
}

export function layoutStrip(steps: readonly StripStep[], box: StripBox): StripLayout {
  const cpuMax = scaleMax(steps, (step) => step.cpu_us);
  const gpuMax = scaleMax(steps, (step) => step.gpu_us ?? 0);
  const labelWidth = labelWidthOf(steps);
  const columnWidth = columnWidthOf(steps.length, labelWidth, box.width);
  const inner = columnWidth * steps.length + Math.max(0, labelWidth - columnWidth);
  const below = steps.some((step) => !step.settled && !fitsBeside(step, columnWidth));
  const bottom = BOTTOM + (below ? REASON_LINE : 0);
  const room = box.height - TOP - bottom;
  const unit = cpuMax + gpuMax > 0 ? room / (cpuMax + gpuMax) : 0;
  const axis = Math.round(TOP + (unit > 0 ? cpuMax * unit : room / 2));
  const frame = { axis, unit, up: cpuMax * unit, down: gpuMax * unit };
  const barWidth = Math.min(MAX_BAR, columnWidth * (columnWidth < 24 ? 0.8 : 0.62));
  const contentWidth = Math.max(box.width, inner);
  const margin = (contentWidth - columnWidth * steps.length) / 2;
  return {
    height: box.height,
    axis,
    columnWidth,
    barWidth,
    bottom,
    reasonBelow: below,
    contentWidth,
    labelWidth,
    columns: steps.map((step, index) => ({
      ...column(step, frame),
      x: margin + index * columnWidth,
    })),
    ...ticks(axis, unit, cpuMax, gpuMax),
  };
}
