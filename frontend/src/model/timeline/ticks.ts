// The time axis.

import { spanOf, type View } from "./view";

export interface Tick {
  at_us: number;
  label: string;
}

const STEPS = [1, 2, 5, 10] as const;
const THIN = "\u202f";

/** The shortest round distance of 1, 2 or 5 at which there are at most `most` ticks. */
function distance(span_us: number, most: number): number {
  const least = span_us / most;
  const base = 10 ** Math.floor(Math.log10(least));
  return base * (STEPS.find((step) => step * base >= least) ?? 10);
}

/** The unit is the same for all ticks, so that digits compare. */
function unitOf(view: View): [number, string] {
  const size = Math.max(Math.abs(view.from), Math.abs(view.to));
  if (size >= 1e6 && spanOf(view) >= 1e4) return [1e6, "s"];
  return size >= 1e3 ? [1e3, "ms"] : [1, "µs"];
}

export function ticksOf(view: View, most: number): Tick[] {
  const gap = distance(spanOf(view), Math.max(1, most));
  const [divisor, unit] = unitOf(view);
  const decimals = Math.min(6, Math.max(0, Math.ceil(-Math.log10(gap / divisor) - 1e-9)));
  const ticks: Tick[] = [];
  const first = Math.ceil(view.from / gap);
  const last = Math.floor(view.to / gap);
  for (let i = first; i <= last; i += 1) {
    const value = ((i * gap) / divisor).toFixed(decimals).replace(/^-(0\.?0*)$/, "$1");
    const whole = value.replace("-", "−").replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ",");
    ticks.push({ at_us: i * gap, label: whole + THIN + unit });
  }
  return ticks;
}
