// The steps of two runs, one beside the other, in one figure at a time.

import type { Comparison, Delta, SideName } from "../api/types";
import { amount, metricWords } from "./metrics";
import { reasonWord } from "./steps";

export interface PairBar {
  side: SideName;
  /** Share of the axis; null: this side has no such step, or does not tell the figure. */
  length: number | null;
  /** Longer than the axis, which the settled steps set. */
  cut: boolean;
  text: string;
  /** Why it is not compared; empty: it is. */
  unsettled: string;
}

export interface PairRow {
  label: string;
  bars: readonly [PairBar, PairBar];
}

const HEADROOM = 1.12;
/** Figures that two bars can show, the most telling first. */
const SHOWN = ["gpu_busy_us", "step_us", "gpu_idle_us", "sync_us", "launches", "kernels", "first_us"];

function deltaOf(deltas: readonly Delta[], metric: string): Delta | undefined {
  return deltas.find((delta) => delta.metric === metric);
}

/** The figures that some step of either side tells, and that are not 0 in all of them. */
export function pairMetrics(comparison: Comparison): { value: string; label: string }[] {
  const told = SHOWN.filter((metric) =>
    comparison.by_step.some((pair) => {
      const delta = deltaOf(pair.deltas, metric);
      return Boolean(delta?.baseline) || Boolean(delta?.candidate);
    }),
  );
  return told.map((value) => ({ value, label: metricWords(value).label }));
}

/** The figure shown first: the one whose settled steps differ, else the first that is told. */
export function firstMetric(comparison: Comparison): string | null {
  const options = pairMetrics(comparison).map((option) => option.value);
  const times = options.filter((metric) => metric === "gpu_busy_us" || metric === "step_us");
  const differs = times.find((metric) => deltaOf(comparison.deltas, metric)?.within_noise === false);
  return differs ?? options[0] ?? null;
}

function name(step: number | null): string {
  return step === null ? "Whole recording" : `Step ${step}`;
}

function rowLabel(baseline: number | null, candidate: number | null): string {
  if (baseline === candidate) return name(baseline);
  if (baseline === null) return name(candidate);
  return candidate === null ? name(baseline) : `Steps ${baseline}, ${candidate}`;
}

/** Why each step that was left out was; by side and number. */
function leftOut(comparison: Comparison): Map<string, string> {
  return new Map(
    comparison.steps.left_out.map(({ side, step, because }) => [
      `${side} ${step}`,
      because.map(reasonWord).join(", ") || "not settled",
    ]),
  );
}

export function pairRows(comparison: Comparison, metric: string): PairRow[] {
  const unsettled = leftOut(comparison);
  const found = comparison.by_step.map((pair) => ({ pair, delta: deltaOf(pair.deltas, metric) }));
  const values = (settledOnly: boolean): number[] =>
    found.flatMap(({ pair, delta }) =>
      (["baseline", "candidate"] as const).flatMap((side) => {
        const counts = !settledOnly || !unsettled.has(`${side} ${pair[side]}`);
        return counts ? [delta?.[side] ?? 0] : [];
      }),
    );
  const longest = Math.max(0, ...values(true)) || Math.max(0, ...values(false));
  const bar = (side: SideName, step: number | null, delta: Delta | undefined): PairBar => {
    const value = delta?.[side] ?? null;
    const share = value === null || longest === 0 ? null : value / (longest * HEADROOM);
    return {
      side,
      length: share === null ? (value === 0 ? 0 : null) : Math.min(1, share),
      cut: share !== null && share > 1,
      text: value === null || !delta ? "no such step, or not measured" : amount(value, delta.unit),
      unsettled: unsettled.get(`${side} ${step}`) ?? "",
    };
  };
  return found.map(({ pair, delta }) => ({
    label: rowLabel(pair.baseline, pair.candidate),
    bars: [bar("baseline", pair.baseline, delta), bar("candidate", pair.candidate, delta)],
  }));
}
