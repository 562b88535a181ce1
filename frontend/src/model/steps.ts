// Steps and devices as the page names them.

import type { GpuStep, Report, Step } from "../api/types";

/** What the page knows of one device's part in a step; never a 0 for something missing. */
export type GpuSide =
  { state: "measured"; part: GpuStep } | { state: "idle" } | { state: "missing"; reason: string };

const REASONS: Readonly<Record<string, [string, string]>> = {
  compiling: ["compiling", "torch.compile was compiling in it"],
  recompile: ["recompile", "torch.compile compiled again in it, though an earlier step ran without"],
  lazy_loading: ["loading", "GPU code was loaded in it for the first time"],
  profiler_buffer: ["profiler", "the profiler’s own work took over 5 % of its CPU span"],
  cut_off: ["cut off", "over 10 % of its kernel launches have no recorded GPU work"],
  cold_start: ["cold start", "it differs from the steps after it, and no earlier step is settled"],
  outlier: ["outlier", "its duration or its GPU work differs from the other steps"],
};

/** The word for a reason why a step is not settled. */
export function reasonWord(reason: string): string {
  return REASONS[reason]?.[0] ?? reason.replaceAll("_", " ");
}

/** The same as a clause. */
export function reasonClause(reason: string): string {
  return REASONS[reason]?.[1] ?? reason.replaceAll("_", " ");
}

/** A name for each step that is stable in an address: its number, with a count where numbers repeat. */
export function stepKeys(steps: readonly Step[]): string[] {
  const times = new Map<number | null, number>();
  return steps.map((step) => {
    const before = times.get(step.number) ?? 0;
    times.set(step.number, before + 1);
    if (step.number === null) return "all";
    return before === 0 ? `${step.number}` : `${step.number}.${before + 1}`;
  });
}

export function stepName(step: Step): string {
  return step.number === null ? "Whole recording" : `Step ${step.number}`;
}

/** Whether the step is among those that averages are taken over. */
export function isAveraged(report: Report, step: Step): boolean {
  return step.settled === report.headline.settled && report.headline.steps.includes(step.number);
}

/** The step shown first: the last averaged one. */
export function defaultStep(report: Report): number {
  const averaged = report.steps.map((step) => isAveraged(report, step));
  return Math.max(averaged.lastIndexOf(true), averaged.includes(true) ? 0 : report.steps.length - 1);
}

export function stepIndex(report: Report, key: string | null): number {
  const index = key === null ? -1 : stepKeys(report.steps).indexOf(key);
  return index >= 0 ? index : defaultStep(report);
}

/** Devices that did work in a step, or that the file names. */
export function deviceIds(report: Report): number[] {
  const seen = report.steps.flatMap((step) => (step.gpu ?? []).map((part) => part.device));
  const ids = seen.length > 0 ? seen : report.trace.devices.map((device) => device.id);
  return [...new Set(ids)].sort((a, b) => a - b);
}

/** Whether any step has a GPU side to be drawn. */
export function hasGpuWork(report: Report): boolean {
  return report.steps.some((step) => (step.gpu ?? []).length > 0);
}

export function deviceName(report: Report, id: number): string {
  return report.trace.devices.find((device) => device.id === id)?.name ?? `device ${id}`;
}

/** The device whose side is drawn: the chosen one, else the headline's. */
export function shownDevice(report: Report, chosen: string | null): number | null {
  const ids = deviceIds(report);
  const wanted = ids.find((id) => `${id}` === chosen);
  return wanted ?? report.summary.device ?? ids[0] ?? null;
}

export function gpuSide(step: Step, device: number | null): GpuSide {
  if (step.gpu === null) {
    const reason = missingReason([step], ["gpu"]);
    return {
      state: "missing",
      reason: reason ?? "it launched kernels, and none of their GPU work was recorded",
    };
  }
  const part = step.gpu.find((entry) => entry.device === device);
  return part ? { state: "measured", part } : { state: "idle" };
}

/** Why a figure is missing: the first reason that a step gives for one of the fields or what holds it. */
export function missingReason(steps: readonly Step[], fields: readonly string[]): string | null {
  for (const field of fields) {
    for (const { not_measured } of steps) {
      const key = Object.keys(not_measured).find((name) => name === field || name.startsWith(`${field}.`));
      if (key !== undefined) return not_measured[key] ?? null;
    }
  }
  return null;
}

/**
 * The base of shares on a device. A first step has none, as its window opened with the recording; the one
 * unnumbered step of a recording without steps has the recording itself.
 */
export function windowOf(step: Step, part: GpuStep): number | null {
  return step.number === null ? part.window_us : part.period_us;
}
