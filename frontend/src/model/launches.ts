// The launch calls of a step of each run, as rows of small squares.

import type { Comparison, SideName } from "../api/types";
import { count, plural } from "./format";
import { LETTERS } from "./sides";

export interface LaunchRow {
  side: SideName;
  /** How many squares, and how many of them (the first ones) are launches of whole graphs. */
  squares: number;
  graphs: number;
  text: string;
}

export interface Launches {
  rows: readonly LaunchRow[];
  /** Calls that one square stands for. */
  each: number;
}

const MOST_SQUARES = 600;

function row(
  comparison: Comparison,
  side: SideName,
  calls: number,
  kernels: number | null,
  each: number,
): LaunchRow {
  const facts = side === "baseline" ? comparison.baseline_compile : comparison.compile;
  const graphs = facts?.graph_launches ?? 0;
  const of = graphs === 0 ? "" : `, ${count(graphs)} of them of a whole graph`;
  const ran = kernels === null ? "" : `; ${plural(kernels, "kernel")}`;
  return {
    side,
    squares: Math.ceil(calls / each),
    graphs: Math.ceil(graphs / each),
    text: `${LETTERS[side]}: ${plural(calls, "call")}${of}${ran}`,
  };
}

/** Null where a side does not tell how many calls a step makes, or none makes any. */
export function launches(comparison: Comparison): Launches | null {
  const find = (metric: string) => comparison.deltas.find((delta) => delta.metric === metric);
  const calls = find("launches");
  const kernels = find("kernels");
  if (!calls || calls.baseline === null || calls.candidate === null) return null;
  const most = Math.max(calls.baseline, calls.candidate);
  if (most === 0) return null;
  const each = most <= MOST_SQUARES ? 1 : 10 ** Math.ceil(Math.log10(most / MOST_SQUARES));
  const rows = (["baseline", "candidate"] as const).map((side) =>
    row(comparison, side, calls[side] ?? 0, kernels?.[side] ?? null, each),
  );
  return { rows, each };
}
