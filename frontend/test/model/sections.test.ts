import { describe, expect, it } from "vitest";
import { layoutCurve, ticksTo } from "../../src/model/curve";
import { sectionsOf, type Section } from "../../src/model/sections/index";
import { spotOfGap } from "../../src/model/spots";
import { fixture, NAMES } from "../fixtures";

function section(name: (typeof NAMES)[number], id: string): Section | undefined {
  return sectionsOf(fixture(name)).shown.find((entry) => entry.id === id);
}

describe.each(NAMES)("the sections of %s", (name) => {
  it("have a cell for every column, and a line for the fold", () => {
    const { shown, absent } = sectionsOf(fixture(name));
    expect(shown.length + absent.length).toBe(14);
    for (const { lead, parts, id } of shown) {
      expect(lead, id).not.toBe("");
      expect(lead, id).not.toMatch(/NaN|undefined|null/);
      for (const { grid } of parts) {
        for (const row of grid?.rows ?? []) expect(row).toHaveLength(grid?.columns.length ?? 0);
      }
    }
  });
});

describe("a section", () => {
  it("lists every row of the report", () => {
    const report = fixture("eight_devices");
    expect(section("eight_devices", "kernels")?.parts[0]?.grid?.rows).toHaveLength(
      report.kernels!.rows.length,
    );
    expect(section("eight_devices", "communication")?.lead).toContain("exposed");
  });

  it("splits idle time by device, and its causes sum to it", () => {
    const report = fixture("eight_devices");
    const rows = section("eight_devices", "idle")!.parts[0]!.grid!.rows;
    for (let device = 0; device < 8; device++) {
      const own = rows.filter((row) => row[2] === device && !String(row[0]).includes(":"));
      const shown = own.reduce((sum, row) => sum + Number(row[3]), 0);
      const idle = report.steps
        .flatMap((step) => step.gpu ?? [])
        .filter((gpu) => gpu.device === device)
        .reduce((sum, gpu) => sum + gpu.idle_us, 0);
      expect(shown).toBeCloseTo(idle, 6);
    }
  });

  it("is not there where the report has nothing of its kind", () => {
    const { shown, absent } = sectionsOf(fixture("cpu_only"));
    expect(shown.map((entry) => entry.id)).not.toContain("kernels");
    expect(absent).toContain("kernels");
  });
});

describe("curves", () => {
  it("have round values on their axis, up to the largest", () => {
    expect(ticksTo(2.7e9, 3)).toEqual([0, 1e9, 2e9, 3e9]);
    expect(ticksTo(0, 3)).toEqual([0]);
  });

  it("break where a value is missing, and stay inside", () => {
    const frame = { width: 100, height: 50, left: 10, right: 10, top: 5, bottom: 5 };
    const lines = [{ name: "a", look: "compute", y: [1, null, 2, 0] }];
    const curve = {
      label: "",
      unit: "us",
      steps: true,
      x: [1, 2, 3, 4],
      ends: null,
      lines,
      mark: null,
    } as const;
    const { paths, x } = layoutCurve(curve, frame);
    expect(paths[0]?.d.match(/M/g)).toHaveLength(2);
    expect(x.map((tick) => tick.at)).toEqual([10, 90]);
  });
});

describe("rows that the timeline can show", () => {
  it("lead to their longest event", () => {
    const grid = section("eight_devices", "kernels")!.parts[0]!.grid!;
    expect(grid.spots.get(grid.rows[0]!)).toEqual({
      event: fixture("eight_devices").kernels!.rows[0]!.longest_event,
      range_us: null,
    });
  });

  it("of gaps, to the range and to what ended it", () => {
    const gap = fixture("eight_devices").gaps!.longest[0]!;
    const { event, range_us } = spotOfGap(gap);
    expect(event).toBe(gap.after_event);
    expect(range_us![0]).toBeLessThan(gap.start_us);
    expect(range_us![1]).toBeGreaterThan(gap.start_us + gap.duration_us);
  });

  it("of causes of idle time, to the gap that lost most to it", () => {
    const report = fixture("eight_devices");
    const grid = section("eight_devices", "idle")!.parts[0]!.grid!;
    const events = report.gaps!.longest.map((gap) => gap.after_event);
    expect(grid.spots.size).toBeGreaterThan(0);
    for (const spot of grid.spots.values()) expect(events).toContain(spot.event);
  });
});
