// The parts that a step's two columns and its table consist of. Order: from the axis outwards.

import type { GpuStep, HostBy, Step } from "../api/types";

/** Names a fill in styles/fills.css. */
export type Fill =
  | "python"
  | "dispatch"
  | "optimizer"
  | "compile"
  | "launch"
  | "allocator"
  | "loading"
  | "input"
  | "wait-busy"
  | "wait-idle"
  | "compute"
  | "communication"
  | "copy"
  | "bubble"
  | "host"
  | "queued"
  | "dependency"
  | "profiler"
  | "unknown"
  | "other"
  | "plain";

export interface Part {
  fill: Fill;
  label: string;
  us: number;
  /** Kept in the table even at 0, because its absence tells something. */
  always: boolean;
  children: readonly { label: string; us: number }[];
}

function part(fill: Fill, label: string, us: number, always = false): Part {
  return { fill, label, us, always, children: [] };
}

export function cpuParts(step: Step): Part[] {
  const by = step.cpu_by;
  if (by === null) return [part("plain", "CPU span, not split", step.duration_us, true)];
  const waiting = by.wait_gpu_idle > 0 ? "Waiting, GPU busy" : "Waiting";
  return [
    part("python", "Python and other", by.python, true),
    part("dispatch", "Operator dispatch", by.op_dispatch, true),
    part("optimizer", "Optimizer", by.optimizer),
    part("compile", "Compiled-code lookup", by.compile_lookup),
    part("launch", "Launch calls", by.launch_call, true),
    part("allocator", "GPU memory calls", by.allocator),
    part("loading", "Loading GPU code", by.loading),
    part("input", "Data loader", by.input),
    part("wait-idle", "Waiting, GPU idle", by.wait_gpu_idle),
    part("wait-busy", waiting, by.wait_gpu_busy, true),
  ];
}

const HOST_LABELS: readonly [keyof HostBy, string][] = [
  ["python", "Python"],
  ["op_dispatch", "operator dispatch"],
  ["optimizer", "optimizer"],
  ["compile_lookup", "compiled-code lookup"],
  ["launch_call", "launch and other calls"],
  ["allocator", "GPU memory calls"],
  ["loading", "loading GPU code"],
  ["wait", "waiting"],
];

function hostPart(gpu: GpuStep): Part {
  const children = HOST_LABELS.map(([key, label]) => ({ label, us: gpu.host_by[key] }))
    .filter((child) => child.us > 0)
    .sort((a, b) => b.us - a.us);
  return { ...part("host", "Idle: CPU not ready", gpu.idle_by_cause.host), children };
}

/** The device's window: the step's own work, the idle time by cause, and others' work. They sum to it. */
export function gpuParts(gpu: GpuStep): Part[] {
  const idle = gpu.idle_by_cause;
  const own = Math.max(0, gpu.window_us - gpu.idle_us - gpu.other_work_us);
  const communication = Math.min(gpu.communication_exposed_us, own);
  const copy = Math.min(gpu.copy_exposed_us, own - communication);
  return [
    part("compute", gpu.memset_us > 0 ? "Compute and memsets" : "Compute", own - communication - copy, true),
    part("communication", "Communication, exposed", communication),
    part("copy", "Copies, exposed", copy, true),
    part("bubble", "Idle: refill bubble", idle.sync_bubble, true),
    hostPart(gpu),
    part("input", "Idle: waiting for input", idle.input),
    part("queued", "Idle: queued, not started", idle.launch, true),
    part("dependency", "Idle: other stream", idle.dependency),
    part("profiler", "Idle: profiler", idle.profiler),
    part("unknown", "Idle: no recorded work", idle.unknown),
    part("other", "Other work meanwhile", gpu.other_work_us),
  ];
}

/** The rows that the table shows: those with time, and those whose 0 tells something. */
export function shownParts(parts: readonly Part[]): Part[] {
  return parts.filter((entry) => entry.always || entry.us > 0);
}
