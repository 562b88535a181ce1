import { describe, expect, it } from "vitest";
import type { Report } from "../../src/api/types";
import { isLabelled, layoutStrip, roundUp, stripSteps, TOP, type StripLayout } from "../../src/model/strip";
import { fixture } from "../fixtures";

const BOX = { width: 600, height: 260 };

function layout(report: Report): StripLayout {
  return layoutStrip(stripSteps(report, 0), BOX);
}

function repeated(report: Report, times: number): Report {
  const steps = Array.from({ length: times }, (_, number) => ({ ...report.steps[1]!, number }));
  return { ...report, steps, headline: { ...report.headline, steps: steps.map((step) => step.number) } };
}

describe("one scale", () => {
  const { columns, axis, ticks } = layout(fixture("gpu_bound"));

  it("for both sides", () => {
    const [, second] = columns;
    const up = axis - second!.top;
    const down = second!.bottom - axis;
    expect(down / up).toBeCloseTo(second!.step.gpu_us! / second!.step.cpu_us, 1);
  });

  it("puts the CPU above the axis and the GPU below", () => {
    for (const column of columns) {
      expect(column.top).toBeLessThan(axis);
      expect(column.bottom).toBeGreaterThan(axis);
    }
  });

  it("has its ticks at round numbers", () => expect(ticks.map((tick) => tick.label)).toEqual(["10", "20"]));
});

it("is set by the averaged steps; a longer one is torn off, with its own time still told", () => {
  const { columns, axis } = layout(fixture("host_bound"));
  const longest = columns.find((column) => column.step.key === "13")!;
  expect(longest).toMatchObject({ tornTop: true, tornBottom: true });
  expect(longest.step.cpu_us).toBe(131_400);
  expect(longest.top).toBeGreaterThanOrEqual(TOP - 0.5);
  expect(longest.bottom).toBeLessThan(260);
  expect(columns.filter((column) => column.tornTop)).toHaveLength(1);
  expect(axis).toBeGreaterThan(TOP);
});

describe("however many steps there are", () => {
  it.each([1, 2, 5, 60, 500])("%d columns do not overlap and stay inside", (times) => {
    const drawn = layout(repeated(fixture("host_bound"), times));
    expect(drawn.columns).toHaveLength(times);
    expect(drawn.columnWidth).toBeGreaterThanOrEqual(7);
    const last = drawn.columns.at(-1)!;
    expect(last.x + drawn.columnWidth).toBeLessThanOrEqual(drawn.contentWidth + 0.01);
    expect(drawn.barWidth).toBeLessThan(drawn.columnWidth);
  });

  it("labels keep their distance, and the selected step always has one", () => {
    const drawn = layout(repeated(fixture("host_bound"), 500));
    const { columns, columnWidth } = drawn;
    const labelled = columns.flatMap((_, index) => (isLabelled(index, 333, drawn) ? [index] : []));
    expect(labelled).toContain(333);
    for (const [at, index] of labelled.entries()) {
      if (at > 0) expect((index - labelled[at - 1]!) * columnWidth).toBeGreaterThanOrEqual(drawn.labelWidth);
    }
  });

  it.each([10, 60, 500])("labels of %d columns have room to be centred, at the edges too", (times) => {
    const { columns, columnWidth, labelWidth, contentWidth } = layout(repeated(fixture("host_bound"), times));
    const half = labelWidth / 2;
    expect(columns[0]!.x + columnWidth / 2).toBeGreaterThanOrEqual(half - 0.01);
    expect(contentWidth - columns.at(-1)!.x - columnWidth / 2).toBeGreaterThanOrEqual(half - 0.01);
  });

  it("ten steps all have their labels", () => {
    const drawn = layout(repeated(fixture("host_bound"), 10));
    expect(drawn.columns.every((_, index) => isLabelled(index, 9, drawn))).toBe(true);
  });
});

it("gives a trace without GPU no columns below the axis, and no 0 either", () => {
  const { columns, axis } = layout(fixture("cpu_only"));
  expect(columns.every((column) => column.bottom === axis)).toBe(true);
  expect(columns.every((column) => column.step.gpu_us === null)).toBe(true);
  expect(columns[0]!.step.gpuNote).toBe("not measured");
});

it("survives steps without any length", () => {
  const report = fixture("hostile");
  const steps = [{ ...report.steps[0]!, duration_us: 0, cpu_by: null }];
  const drawn = layout({ ...report, steps });
  expect(drawn.ticks).toEqual([]);
  expect(Number.isFinite(drawn.axis)).toBe(true);
});

it("marks the first step's window as open, and knows which steps are not settled", () => {
  const steps = stripSteps(fixture("host_bound"), 1);
  expect(steps.map((step) => step.open)).toEqual([true, ...Array<boolean>(7).fill(false)]);
  expect(steps.filter((step) => !step.settled).map((step) => step.reason)).toEqual(["recompile, loading"]);
});

it.each([
  [3, 5],
  [7600, 10_000],
  [0.02, 0.02],
  [2.4, 2.5],
])("rounds %f up to %f", (value, up) => expect(roundUp(value)).toBeCloseTo(up));
