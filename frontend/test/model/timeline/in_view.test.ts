import { describe, expect, it } from "vitest";
import { busyText, idleText, lossRows, partIn, workRows } from "../../../src/model/timeline/in_view";
import type { Shaded } from "../../../src/model/timeline/shaded";
import { IN_VIEW, TIMELINE } from "./blocks";

describe("what is in view", () => {
  it("has the names that people use, else those of the trace", () => {
    const rows = workRows(IN_VIEW);
    expect(rows.map((row) => [row.label, row.fill])).toEqual([
      ["Matrix multiply", "compute"],
      ["ncclAllReduce", "communication"],
      ["Copy to the GPU", "copy"],
    ]);
    expect(rows.map((row) => row.bar)).toEqual([1, 0.5, 0.1]);
  });

  it("lists waits and gaps together, by the time that they take of the view", () => {
    const rows = lossRows(IN_VIEW, TIMELINE.lanes);
    expect(rows.map((row) => [row.label, row.in_view_us])).toEqual([
      ["GPU idle: CPU not ready", 50],
      ["Main thread waits", 20],
      ["GPU idle: refill bubble", 6],
      ["GPU without work, outside the device windows", 1],
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

  it("says what a part is made of, though longer ones be in view, and knows parts that are not there", () => {
    const { lanes } = TIMELINE;
    const rows = lossRows(IN_VIEW, lanes).map(({ shaded }) => shaded);
    const waits = Array.from({ length: 5 }, () => ({ ...IN_VIEW.waits[0]!, in_view_us: 90 }));
    for (const row of rows)
      expect(
        partIn({ ...IN_VIEW, waits: [...IN_VIEW.waits, ...waits] }, { ...row, parts: [] }, lanes),
      ).toEqual(row);
    const part: Shaded = { ...rows[0]!, start_us: 1, end_us: 2, parts: [] };
    const wait = { ...part, device: null, lane: 0 } as const;
    expect(partIn(IN_VIEW, part, lanes)).toEqual(part);
    expect(partIn(IN_VIEW, { ...wait, cause: "wait_gpu_idle" }, lanes)).not.toBeNull();
    expect(partIn(IN_VIEW, { ...wait, cause: "closing_wait" }, lanes)).not.toBeNull();
    expect(partIn(IN_VIEW, { ...wait, cause: "wait_gpu_busy", lane: 2 }, lanes)).toBeNull();
    expect(partIn(IN_VIEW, { ...part, cause: "input" }, lanes)).toBeNull();
    expect(partIn(IN_VIEW, { ...part, device: 1 }, lanes)).toBeNull();
    expect(partIn({ ...IN_VIEW, gaps: [] }, { ...part, cause: null }, lanes)).toBeNull();
  });

  it("says how busy the GPU is, and of how many devices", () => {
    expect(busyText(IN_VIEW).replaceAll("\u202f", " ")).toBe("40.0 % busy, 40.0 µs; 12 kernels, 1 launch");
    expect(idleText(IN_VIEW, true).replaceAll("\u202f", " ")).toBe(
      "GPU idle 56.0 µs in the steps’ windows; 2 gaps in view",
    );
    expect(idleText(IN_VIEW, false)).toMatch(/^GPU idle 56.0\u202fµs; 2 gaps/);
    const eight = { ...IN_VIEW, devices: IN_VIEW.devices.concat({ device: 1, busy_us: 20, idle_us: {} }) };
    expect(busyText(eight)).toContain("2 devices together");
  });
});
