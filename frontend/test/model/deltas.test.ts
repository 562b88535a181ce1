import { describe, expect, it } from "vitest";
import type { Delta } from "../../src/api/types";
import { deltaTable, intervalText, verdictGlyph } from "../../src/model/deltas";
import { signed, signedPercent } from "../../src/model/metrics";
import { comparison, PAIRS } from "../fixtures";

const plain = (text: string): string => text.replaceAll("\u202f", " ");

function delta(change: Partial<Delta>): Delta {
  return {
    metric: "pace_us",
    unit: "us",
    baseline: 100,
    candidate: 90,
    difference: -10,
    interval: [-12, -8],
    within_noise: false,
    not_measured: null,
    ...change,
  };
}

describe("the tutorial's pair", () => {
  const table = deltaTable(comparison("tutorial").deltas);
  const row = (metric: string) => table.rows.find((entry) => entry.metric === metric)!;

  it("says what is within noise and what is not", () => {
    expect(plain(row("pace_us").verdict)).toBe("within noise");
    expect(plain(row("pace_us").interval)).toBe("−681 µs … +635 µs");
    expect(plain(row("step_us").verdict)).toBe("+43 %");
    expect(row("step_us").interval).toBe("in every pair");
    // Of nothing, no percentage can be told.
    expect(row("copies").verdict).toBe("beyond noise");
    expect(row("copies").glyph).toBeNull();
  });

  it("puts all differences on one axis, as long as the largest needs", () => {
    expect(table.limit).toBe(50);
    expect(row("kernels").glyph!.point).toBeCloseTo(0);
    expect(row("pace_us").glyph!.point).toBeCloseTo(0.5 - 23 / 644.5, 3);
    expect([row("pace_us").glyph!.cutLow, row("pace_us").glyph!.cutHigh]).toEqual([true, true]);
  });

  it("names what is equal and what is missing, with its reason", () => {
    expect(table.equal.map(plain)).toContain("Launch calls 2");
    expect(table.missing.flatMap((entry) => entry.labels)).toContain("Peak memory");
    expect(table.missing.every((entry) => entry.reason.length > 10)).toBe(true);
  });
});

it.each(PAIRS)("shows each figure of %s once", (name) => {
  const { deltas } = comparison(name);
  const table = deltaTable(deltas);
  const missing = table.missing.flatMap((entry) => entry.labels);
  expect(table.rows.length + table.equal.length + missing.length).toBe(deltas.length);
});

it("never calls a difference real whose interval contains zero", () => {
  for (const name of PAIRS)
    for (const row of deltaTable(comparison(name).deltas).rows) {
      const { interval } = comparison(name).deltas.find((entry) => entry.metric === row.metric)!;
      if (interval && interval[0]! <= 0 && interval[1]! >= 0) expect(row.told).toBe("noise");
    }
});

it("makes no claim without an interval", () => {
  const [row] = deltaTable([delta({ interval: null, within_noise: null })]).rows;
  expect([row!.told, row!.interval, row!.verdict]).toEqual(["open", "not known", "no spread known"]);
  expect(intervalText(delta({ interval: [0, 4] })).replaceAll("\u202f", " ")).toBe("0 µs … +4.00 µs");
});

it("lists what is 0 on both sides as equal, even without an interval", () => {
  const table = deltaTable([
    delta({ baseline: 0, candidate: 0, difference: 0, interval: null, within_noise: null }),
  ]);
  expect([table.rows.length, table.equal.map(plain)]).toEqual([0, ["Step pace 0 µs"]]);
});

it("draws the verdict's difference with its interval, zero in the middle", () => {
  const glyph = verdictGlyph([delta({})])!;
  expect(glyph.high).toBeLessThan(0.5);
  expect(glyph.low).toBeLessThan(glyph.point);
  expect(plain(glyph.pointText)).toBe("−10.0 µs");
  // Too near for a label each.
  expect(glyph.limits.map((limit) => plain(limit.text))).toEqual(["−12.0 µs … −8.00 µs"]);
  const wide = verdictGlyph([delta({ interval: [-40, 20] })])!;
  expect(wide.limits.map((limit) => plain(limit.text))).toEqual(["−40.0 µs", "+20.0 µs"]);
  expect(verdictGlyph([delta({ interval: null, within_noise: null })])!.limits).toEqual([]);
  expect(verdictGlyph([delta({ difference: 0, interval: [0, 0], within_noise: true })])!.point).toBe(0.5);
  expect(verdictGlyph([delta({ difference: null })])).toBeNull();
});

it("spells differences with their sign", () => {
  expect(plain(signed(57.6, "us"))).toBe("+57.6 µs");
  expect(plain(signed(-231, "count"))).toBe("−231");
  expect(plain(signed(0, "bytes"))).toBe("0 B");
  expect([0.178, -72.6, 0.01, 0].map(signedPercent).map(plain)).toEqual([
    "+0.2 %",
    "−73 %",
    "+<0.1 %",
    "0 %",
  ]);
});
