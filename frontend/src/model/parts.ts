// The parts that a step's two columns and its table consist of. Order: from the axis outwards.

import type { GpuStep, HostBy, Step } from "../api/types";
import { CPU_ROWS, GPU_ROWS, HOST_WAIT } from "./glossary";

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
  /** One sentence. */
  meaning: string;
  /** Kept in the table even at 0, because it answers a question: did the CPU wait, did the GPU run dry? */
  always: boolean;
  children: readonly { label: string; us: number; meaning: string }[];
}

function cpuPart(fill: Fill, label: string, us: number, always = false): Part {
  return { fill, label, us, meaning: CPU_ROWS[fill] ?? "", always, children: [] };
}

function gpuPart(fill: Fill, label: string, us: number, always = false): Part {
  return { fill, label, us, meaning: GPU_ROWS[fill] ?? "", always, children: [] };
}

export function cpuParts(step: Step): Part[] {
  const by = step.cpu_by;
  if (by === null) return [cpuPart("plain", "CPU span, not split", step.duration_us, true)];
  const waiting = by.wait_gpu_idle > 0 ? "Waiting, GPU busy" : "Waiting";
  return [
    cpuPart("python", "Python and other", by.python),
    cpuPart("dispatch", "Operator dispatch", by.op_dispatch),
    cpuPart("optimizer", "Optimizer", by.optimizer),
    cpuPart("compile", "Compiled-code lookup", by.compile_lookup),
    cpuPart("launch", "Launch calls", by.launch_call),
    cpuPart("allocator", "GPU memory calls", by.allocator),
    cpuPart("loading", "Loading GPU code", by.loading),
    cpuPart("input", "Data loader", by.input),
    cpuPart("wait-idle", "Waiting, GPU idle", by.wait_gpu_idle),
    cpuPart("wait-busy", waiting, by.wait_gpu_busy, by.wait_gpu_idle === 0),
  ];
}

const HOST_ROWS: readonly [keyof HostBy, string, string | undefined][] = [
  ["python", "Python", CPU_ROWS.python],
  ["op_dispatch", "operator dispatch", CPU_ROWS.dispatch],
  ["optimizer", "optimizer", CPU_ROWS.optimizer],
  ["compile_lookup", "compiled-code lookup", CPU_ROWS.compile],
  ["launch_call", "launch and other calls", CPU_ROWS.launch],
  ["allocator", "GPU memory calls", CPU_ROWS.allocator],
  ["loading", "loading GPU code", CPU_ROWS.loading],
  ["wait", "waiting", HOST_WAIT],
];

function hostPart(gpu: GpuStep): Part {
  const children = HOST_ROWS.map(([key, label, meaning = ""]) => ({ label, us: gpu.host_by[key], meaning }))
    .filter((child) => child.us > 0)
    .sort((a, b) => b.us - a.us);
  return { ...gpuPart("host", "Idle: CPU not ready", gpu.idle_by_cause.host), children };
}

/** The device's window: the step's own work, the idle time by cause, and others' work. They sum to it. */
export function gpuParts(gpu: GpuStep): Part[] {
  const idle = gpu.idle_by_cause;
  const own = Math.max(0, gpu.window_us - gpu.idle_us - gpu.other_work_us);
  const communication = Math.min(gpu.communication_exposed_us, own);
  const copy = Math.min(gpu.copy_exposed_us, own - communication);
  return [
    gpuPart("compute", gpu.memset_us > 0 ? "Compute and memsets" : "Compute", own - communication - copy),
    gpuPart("communication", "Communication, exposed", communication),
    gpuPart("copy", "Copies, exposed", copy),
    gpuPart("bubble", "Idle: refill bubble", idle.sync_bubble, true),
    hostPart(gpu),
    gpuPart("input", "Idle: waiting for input", idle.input),
    gpuPart("queued", "Idle: queued, not started", idle.launch),
    gpuPart("dependency", "Idle: other stream", idle.dependency),
    gpuPart("profiler", "Idle: profiler", idle.profiler),
    gpuPart("unknown", "Idle: no recorded work", idle.unknown),
    gpuPart("other", "Other work meanwhile", gpu.other_work_us),
  ];
}

/** The rows that the table shows: those with time, and those whose 0 answers a question. */
export function shownParts(parts: readonly Part[]): Part[] {
  return parts.filter((entry) => entry.always || entry.us > 0);
}
