// The figures of two runs side by side, and where each difference lies on one axis for all of them.

import type { Delta } from "../api/types";
import { amount, metricWords, signed, signedPercent } from "./metrics";

/** What may be said of a difference. `open`: a side has one step, so that no interval can be given. */
export type Told = "differs" | "noise" | "open";

/** Where a difference and its interval lie on the axis, as shares of its width; 0.5 is no difference. */
export interface Glyph {
  point: number;
  low: number;
  high: number;
  /** The point or an end of the interval lies beyond the axis. */
  cutLow: boolean;
  cutHigh: boolean;
}

export interface DeltaRow {
  metric: string;
  label: string;
  meaning: string;
  baseline: string;
  candidate: string;
  difference: string;
  interval: string;
  told: Told;
  /** What the last column says: the relative difference, or why there is none to be told. */
  verdict: string;
  glyph: Glyph | null;
}

export interface DeltaTable {
  rows: readonly DeltaRow[];
  /** The axis goes from −limit to +limit percent. */
  limit: number;
  /** Figures that are the same on both sides: `Copies 0`. */
  equal: readonly string[];
  /** Which figures are missing, and why. */
  missing: readonly { labels: readonly string[]; reason: string }[];
}

const LIMITS = [5, 10, 25, 50, 100];

function isEqual({ baseline, candidate, interval }: Delta): boolean {
  if (interval === null) return baseline === 0 && candidate === 0;
  return baseline === candidate && interval.every((limit) => limit === 0);
}

function percent(value: number, delta: Delta): number | null {
  return delta.baseline ? (100 * value) / Math.abs(delta.baseline) : null;
}

export function told(delta: Delta): Told {
  if (delta.within_noise === null) return "open";
  return delta.within_noise ? "noise" : "differs";
}

function verdict(delta: Delta): string {
  const how = told(delta);
  if (how === "noise") return "within noise";
  if (how === "open") return "no spread known";
  const relative = percent(delta.difference ?? 0, delta);
  return relative === null ? "beyond noise" : signedPercent(relative);
}

/** An interval as text; one that is a point holds in every pair of steps. */
export function intervalText(delta: Delta): string {
  const [low, high] = delta.interval ?? [];
  if (low === undefined || high === undefined) return "not known";
  if (low === high) return "in every pair";
  return `${signed(low, delta.unit)} … ${signed(high, delta.unit)}`;
}

function clamp(share: number): number {
  return Math.max(0, Math.min(1, share));
}

function glyph(delta: Delta, limit: number): Glyph | null {
  const at = (value: number): number | null => {
    const found = percent(value, delta);
    return found === null ? null : 0.5 + found / (2 * limit);
  };
  const point = at(delta.difference ?? 0);
  if (point === null) return null;
  const low = at(delta.interval?.[0] ?? delta.difference ?? 0) ?? point;
  const high = at(delta.interval?.[1] ?? delta.difference ?? 0) ?? point;
  return {
    point: clamp(point),
    low: clamp(low),
    high: clamp(high),
    cutLow: Math.min(low, point) < -1e-9,
    cutHigh: Math.max(high, point) > 1 + 1e-9,
  };
}

function axisLimit(deltas: readonly Delta[]): number {
  const sizes = deltas.map((delta) => Math.abs(percent(delta.difference ?? 0, delta) ?? 0));
  const largest = Math.max(0, ...sizes);
  return LIMITS.find((limit) => largest <= limit) ?? 100;
}

function row(delta: Delta, limit: number): DeltaRow {
  const { baseline, candidate, difference, unit } = delta;
  return {
    metric: delta.metric,
    ...metricWords(delta.metric),
    baseline: baseline === null ? "not measured" : amount(baseline, unit),
    candidate: candidate === null ? "not measured" : amount(candidate, unit),
    difference: difference === null ? "" : signed(difference, unit),
    interval: intervalText(delta),
    told: told(delta),
    verdict: verdict(delta),
    glyph: glyph(delta, limit),
  };
}

function missing(deltas: readonly Delta[]): DeltaTable["missing"] {
  const reasons = new Map<string, string[]>();
  for (const delta of deltas) {
    const reason = delta.not_measured ?? "these traces do not tell";
    reasons.set(reason, [...(reasons.get(reason) ?? []), metricWords(delta.metric).label]);
  }
  return [...reasons].map(([reason, labels]) => ({ labels, reason }));
}

export function deltaTable(deltas: readonly Delta[]): DeltaTable {
  const known = deltas.filter((delta) => delta.difference !== null);
  const shown = known.filter((delta) => !isEqual(delta));
  const limit = axisLimit(shown);
  const equal = known.filter(isEqual);
  return {
    rows: shown.map((delta) => row(delta, limit)),
    limit,
    equal: equal.map(
      ({ metric, baseline, unit }) => `${metricWords(metric).label} ${amount(baseline ?? 0, unit)}`,
    ),
    missing: missing(deltas.filter((delta) => delta.difference === null)),
  };
}

/** The difference that the verdict rests on, on an axis of its own. */
export interface VerdictGlyph extends Glyph {
  told: Told;
  pointText: string;
  /** The limits of the interval with their places; one for both where two would run into one another. */
  limits: readonly { at: number; text: string }[];
}

/** Below this share of the axis two labels have no room beside each other. */
const LABEL_ROOM = 0.3;

function limitLabels(delta: Delta, at: (value: number) => number): VerdictGlyph["limits"] {
  const [low, high] = delta.interval ?? [];
  if (low === undefined || high === undefined) return [];
  if (at(high) - at(low) < LABEL_ROOM) return [{ at: (at(low) + at(high)) / 2, text: intervalText(delta) }];
  return [low, high].map((limit) => ({ at: at(limit), text: signed(limit, delta.unit) }));
}

// The ends of the interval have labels, which need room.
const MARGIN = 1.4;

/** Of the pace; null where a side has none, so that the verdict rests on no difference. */
export function verdictGlyph(deltas: readonly Delta[]): VerdictGlyph | null {
  const pace = deltas.find((delta) => delta.metric === "pace_us");
  if (!pace || pace.difference === null) return null;
  const [low = pace.difference, high = pace.difference] = pace.interval ?? [];
  const reach = MARGIN * Math.max(Math.abs(low), Math.abs(high), Math.abs(pace.difference));
  const at = (value: number): number => (reach === 0 ? 0.5 : 0.5 + value / (2 * reach));
  return {
    told: told(pace),
    point: at(pace.difference),
    low: at(low),
    high: at(high),
    cutLow: false,
    cutHigh: false,
    limits: limitLabels(pace, at),
    pointText: signed(pace.difference, pace.unit),
  };
}
