import { describe, expect, it } from "vitest";
import type { InView } from "../../../src/api/types";
import { busyText, idleText, lossRows, workRows } from "../../../src/model/timeline/in_view";
import { TIMELINE } from "./blocks";

const FOUND: InView = {
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

describe("what is in view", () => {
  it("has the names that people use, else those of the trace", () => {
    const rows = workRows(FOUND);
    expect(rows.map((row) => [row.label, row.fill])).toEqual([
      ["Matrix multiply", "compute"],
      ["ncclAllReduce", "communication"],
      ["Copy to the GPU", "copy"],
    ]);
    expect(rows.map((row) => row.bar)).toEqual([1, 0.5, 0.1]);
  });

  it("lists waits and gaps together, by the time that they take of the view", () => {
    const rows = lossRows(FOUND, TIMELINE.lanes);
    expect(rows.map((row) => [row.label, row.in_view_us])).toEqual([
      ["GPU idle: CPU not ready", 50],
      ["Main thread waits", 20],
      ["GPU idle: refill bubble", 6],
      ["GPU without work, outside the steps", 1],
    ]);
    expect(rows[0]!.note).toContain("83");
    expect(rows[0]!.shaded).toMatchObject({ cause: "host", device: 0, start_us: -10, end_us: 50 });
    expect(rows[0]!.shaded.parts).toEqual([
      ["CPU not ready", 50],
      ["other stream", 10],
    ]);
    expect(rows[1]!.shaded.parts).toEqual([
      ["GPU busy", 15],
      ["GPU idle", 5],
    ]);
    // It begins where the window does, and may have begun before.
    expect(rows[1]!.shaded.extent).toBe("cut");
    expect(rows[3]!.shaded.cause).toBeNull();
  });

  it("says how busy the GPU is, and of how many devices", () => {
    expect(busyText(FOUND).replaceAll("\u202f", " ")).toBe("40.0 % busy, 40.0 µs; 12 kernels, 1 launch");
    expect(idleText(FOUND).replaceAll("\u202f", " ")).toBe("GPU idle 56.0 µs, 2 gaps");
    const eight = { ...FOUND, devices: FOUND.devices.concat({ device: 1, busy_us: 20, idle_us: {} }) };
    expect(busyText(eight)).toContain("2 devices together");
  });
});
