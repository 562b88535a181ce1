// What the figures of a comparison are called, and what they mean.

import type { MetricUnit } from "../api/types";
import { bytes, count, significant, time } from "./format";
import { GPU_ROWS, TILES, WORDS } from "./glossary";

interface Words {
  label: string;
  meaning: string;
}

const METRICS: Readonly<Record<string, Words>> = {
  pace_us: { label: "Step pace", meaning: WORDS.pace },
  step_us: { label: "CPU span", meaning: TILES.span },
  period_us: { label: "CPU period", meaning: "From the start of a step to the start of the next one." },
  cpu_busy_us: { label: "CPU busy", meaning: "The CPU span, less what the CPU spent waiting for the GPU." },
  gpu_busy_us: { label: "GPU busy", meaning: TILES.busy },
  gpu_idle_us: { label: "GPU idle", meaning: "Time in which the GPU ran nothing, in its part of a step." },
  sync_us: { label: "Waiting for the GPU", meaning: "Time in calls that wait for the GPU." },
  implicit_sync_us: {
    label: "Hidden waits",
    meaning:
      "Time in calls that can wait for the GPU though their name does not say so. How much of it is waiting is not recorded.",
  },
  bubble_us: { label: "Refill bubble", meaning: GPU_ROWS.bubble ?? "" },
  launches: {
    label: "Launch calls",
    meaning: "Calls that put work into the GPU’s queue; one call can launch a whole graph.",
  },
  kernels: { label: "GPU kernels", meaning: "Kernels that ran on the GPU, those of graphs too." },
  copies: { label: "Copies", meaning: "Copies to, from or on the GPU." },
  copy_bytes: { label: "Copied", meaning: "Bytes of these copies." },
  first_us: { label: "Lane offset", meaning: WORDS["lane offset"] },
  compile_tax_us: {
    label: "Compile tax",
    meaning: "CPU time in torch.compile’s own machinery: looking up compiled code, preparing, wrappers.",
  },
  peak_memory_bytes: { label: "Peak memory", meaning: "The most that was allocated at one time." },
};

export function metricWords(metric: string): Words {
  return METRICS[metric] ?? { label: metric.replaceAll("_", " "), meaning: "" };
}

const TEXTS: Readonly<Record<MetricUnit, (value: number) => string>> = {
  us: time,
  bytes,
  // A median of counts may lie halfway between two.
  count: (value) => (Number.isInteger(value) ? count(value) : significant(value)),
};

/** A value of a metric with its unit. */
export function amount(value: number, unit: MetricUnit): string {
  return TEXTS[unit](value);
}

/** A difference: always with its sign, but for 0. */
export function signed(value: number, unit: MetricUnit): string {
  if (value === 0) return amount(0, unit);
  return (value > 0 ? "+" : "−") + amount(Math.abs(value), unit);
}

/** A difference in percent of what it is a difference from. */
export function signedPercent(percent: number): string {
  if (percent === 0) return "0\u202f%";
  const size = Math.abs(percent);
  const text = size < 0.05 ? "<0.1" : size < 9.95 ? size.toFixed(1) : count(size);
  return `${percent > 0 ? "+" : "−"}${text}\u202f%`;
}
