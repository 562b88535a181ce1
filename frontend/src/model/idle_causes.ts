// Causes of idle GPU time: what each is called, and what it looks like.

import type { Fill } from "./parts";
import type { IdleByCause } from "../api/types";

export const IDLE_CAUSES: readonly [keyof IdleByCause, string, Fill][] = [
  ["host", "CPU not ready", "host"],
  ["sync_bubble", "refill bubble", "bubble"],
  ["input", "waiting for input", "input"],
  ["launch", "queued, not started", "queued"],
  ["dependency", "other stream", "dependency"],
  ["profiler", "profiler", "profiler"],
  ["unknown", "no recorded work", "unknown"],
];
