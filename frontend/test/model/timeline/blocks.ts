// Draws blocks of a window, byte by byte as docs/http_api.md says, and the timeline that they belong to.

import type { InView, LaneInfo, Shade, Timeline } from "../../../src/api/types";
import { readBlock, type Block } from "../../../src/model/timeline/block";

export interface DrawnEvent {
  lane: number;
  row: number;
  start: number;
  end: number;
  ref: number;
  category: number;
  name: string | null;
  fill?: number;
}

export interface DrawnShade {
  shade: number;
  start: number;
  end: number;
}

class Writer {
  private readonly parts: Uint8Array[] = [];

  put(array: Float32Array | Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array): void {
    this.parts.push(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  }

  buffer(): ArrayBuffer {
    const whole = new Uint8Array(this.parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of this.parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole.buffer;
  }
}

/** How often each key occurs, in the order of their first occurrence. */
function runs<T>(items: readonly T[], key: (item: T) => string): [T, number][] {
  const found: [T, number][] = [];
  for (const item of items) {
    const last = found.at(-1);
    if (last && key(last[0]) === key(item)) last[1] += 1;
    else found.push([item, 1]);
  }
  return found;
}

/** Events by lane, row and start; shades by shade and start; times in µs from `from`. */
export function pack(
  from: number,
  to: number,
  events: readonly DrawnEvent[],
  shades: readonly DrawnShade[] = [],
): ArrayBuffer {
  const names = [...new Set(events.flatMap(({ name }) => (name === null ? [] : [name])))];
  const texts = names.map((name) => new TextEncoder().encode(name));
  const tracks = runs(events, ({ lane, row }) => `${lane} ${row}`);
  const causes = runs(shades, ({ shade }) => `${shade}`);
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  const writer = new Writer();
  writer.put(
    Uint32Array.of(
      0x57584254,
      1,
      tracks.length,
      events.length,
      causes.length,
      shades.length,
      names.length,
      bytes,
    ),
  );
  writer.put(Float64Array.of(from, to, (to - from) / 1000));
  writer.put(Float32Array.from(events, ({ start }) => start));
  writer.put(Float32Array.from(events, ({ end }) => end));
  writer.put(Int32Array.from(events, ({ ref }) => ref));
  writer.put(Uint32Array.from(tracks, ([, count]) => count));
  writer.put(Float32Array.from(shades, ({ start }) => start));
  writer.put(Float32Array.from(shades, ({ end }) => end));
  writer.put(Uint32Array.from(causes, ([, count]) => count));
  writer.put(Uint32Array.from(texts, (text) => text.length));
  writer.put(Uint16Array.from(events, ({ name }) => (name === null ? 0xffff : names.indexOf(name))));
  writer.put(Uint16Array.from(tracks, ([{ lane }]) => lane));
  writer.put(Uint16Array.from(tracks, ([{ row }]) => row));
  writer.put(Uint16Array.from(causes, ([{ shade }]) => shade));
  writer.put(Uint8Array.from(events, ({ category }) => category));
  writer.put(Uint8Array.from(events, ({ fill }) => fill ?? 255));
  writer.put(Uint8Array.from(shades, () => 255));
  for (const text of texts) writer.put(text);
  return writer.buffer();
}

export function lane(id: number, part: Partial<LaneInfo> = {}): LaneInfo {
  return {
    ...{ id, kind: "thread", label: `thread ${id}`, process: "1", rows: 2, events: 4 },
    ...{ start_us: 0, end_us: 100, role: null, thread: `${id}`, stream: null, device: null },
    ...part,
  };
}

export const OPERATOR = 1;
export const ANNOTATION = 2;
export const RUNTIME = 4;
export const KERNEL = 6;
export const PYTHON = 10;

const SHADES: readonly Shade[] = [
  { cause: "wait_gpu_busy", lane: 0, device: null, total_us: 10 },
  { cause: "closing_wait", lane: 0, device: null, total_us: 5 },
  { cause: "sync_bubble", lane: null, device: 0, total_us: 5 },
];

/** A thread with an operator, two launches and a wait, and a stream with two kernels; 100 µs. */
export const EVENTS: readonly DrawnEvent[] = [
  { lane: 0, row: 0, start: 0, end: 60, ref: 1, category: OPERATOR, name: "aten::mm" },
  { lane: 0, row: 0, start: 70, end: 90, ref: 4, category: RUNTIME, name: "cudaDeviceSynchronize" },
  { lane: 0, row: 1, start: 5, end: 10, ref: 2, category: RUNTIME, name: "cudaLaunchKernel" },
  { lane: 0, row: 1, start: 12, end: 20, ref: -7, category: RUNTIME, name: null, fill: 128 },
  { lane: 0, row: 1, start: 30, end: 35, ref: 3, category: RUNTIME, name: "cudaLaunchKernel" },
  { lane: 1, row: 0, start: 15, end: 40, ref: 5, category: KERNEL, name: "sgemm" },
  { lane: 1, row: 0, start: 45, end: 85, ref: 6, category: KERNEL, name: "ncclDevKernel_AllReduce" },
];

export const LANES: readonly LaneInfo[] = [
  lane(0, { role: "stepping" }),
  lane(1, { kind: "stream", role: "compute", rows: 1, device: 0, stream: "7", thread: null }),
];

export const TIMELINE: Timeline = {
  ...{ origin_ns: 0, start_us: 0, end_us: 100, events: 7, names: 5, lanes: LANES, shades: SHADES },
  steps: [{ number: 3, process: "1", start_us: 0, duration_us: 95, settled: true, averaged: true }],
  call_outs: [],
  not_shown: { instants: 0, lost: 0 },
  human_names: {},
  latency_parts: ["queue", "call"],
  schema: 1,
};

export function block(events = EVENTS, shades: readonly DrawnShade[] = [], from = 0, to = 100): Block {
  return readBlock(pack(from, to, events, shades));
}

/** What a window of it holds. */
export const IN_VIEW: InView = {
  ...{ schema: 1, from_us: 0, to_us: 100, launches: 1, kernels: 12, gaps_count: 2 },
  devices: [{ device: 0, busy_us: 40, idle_us: { host: 50, sync_bubble: 6 } }],
  work: [
    { name: "sgemm", category: "kernel", human: "Matrix multiply", count: 3, time_us: 30 },
    { name: "ncclAllReduce", category: "kernel", human: null, count: 1, time_us: 15 },
    { name: "Memcpy HtoD", category: "memcpy", human: "Copy to the GPU", count: 8, time_us: 3 },
  ],
  rest: { names: 0, count: 0, time_us: 0 },
  gaps: [
    { device: 0, start_us: -10, duration_us: 60, in_view_us: 50, causes: { host: 50, dependency: 10 } },
    { device: 0, start_us: 90, duration_us: 6, in_view_us: 6, causes: { sync_bubble: 6 } },
    { device: 0, start_us: 200, duration_us: 1, in_view_us: 1, causes: {} },
  ],
  waits: [{ lane: 0, start_us: 0, in_view_us: 20, gpu_busy_us: 15 }],
};
