import { expect, it } from "vitest";
import type { Report } from "../../src/api/types";
import { join } from "../../src/model/format";
import { averagesText, keyFigures, whoseText } from "../../src/model/figures";
import { fixture, NAMES, tutorial } from "../fixtures";

function shown(name: (typeof NAMES)[number]): string[] {
  return told(fixture(name));
}

function told(report: Report): string[] {
  return keyFigures(report).tiles.map((tile) => {
    const figure = tile.figure ? join(tile.figure) : "not measured";
    return `${tile.label}: ${figure}; ${tile.note}`.replaceAll("\u202f", " ");
  });
}

function withWaits(waits: readonly [number, number][], bubble_us: number): string {
  const report = fixture("gpu_bound");
  const [, ...averaged] = report.steps;
  const steps = averaged.slice(0, waits.length).map((step, index) => {
    const [total_us, implicit_us] = waits[index]!;
    return { ...step, sync: { ...step.sync, total_us, implicit_us } };
  });
  return told({ ...report, steps, summary: { ...report.summary, bubble_us } })[2]!;
}

it("leads with the pace, and shows the CPU span beneath it", () => {
  expect(shown("gpu_bound")).toEqual([
    "Step pace: 22.9 ms; CPU span 2.01 ms, GPU 22.9 ms",
    "GPU busy: 99.2 %; of its own window of 22.9 ms; idle 195 µs",
    "Recoverable sync: 0 µs; no waiting call in a step",
    "Lane offset: 52.2 ms; median of the settled steps; first 20.8 ms, last 83.5 ms",
  ]);
});

it("says whose each figure is: of the GPU’s own window, of the step, of which steps", () => {
  const report = tutorial();
  const short = { ...report.summary, gpu_window_us: 12, gpu_idle_us: 4.3, lost_us: 77.8 };
  const busy = told({ ...report, pace_us: 85.5, summary: short })[1];
  expect(busy).toContain("of its own window of 12.0 µs; nothing ran for 77.8 µs of the step’s 85.5 µs");
  const headline = { ...report.headline, steps: [4] };
  expect(whoseText({ ...report, headline })).toBe("step 4");
  expect(whoseText({ ...report, headline: { ...report.headline, settled: false } })).toBe(
    "median of the averaged steps",
  );
  expect(whoseText(fixture("no_steps"))).toBe("whole recording");
});

it("names the one step that has a figure, and says that steps hardly differ", () => {
  const report = fixture("gpu_bound");
  const note = (offsets: (index: number) => number | null): string => {
    const steps = report.steps.map((step, index) => ({
      ...step,
      lane_offset: { ...step.lane_offset, first_us: offsets(index) },
    }));
    return told({ ...report, steps })[3]!.split("; ")[1]!;
  };
  const last = report.steps.length - 1;
  expect(note((index) => (index === last ? 10 : null))).toBe(`step ${report.steps[last]!.number}`);
  expect(note(() => 10)).toBe("median of the settled steps, hardly different from step to step");
});

it("never shows 0 for what was not measured, and says why", () => {
  const figures = keyFigures(fixture("cpu_only"));
  expect(figures.tiles.map((tile) => tile.label)).toEqual(["Step pace"]);
  expect(figures.without).toBe(
    "GPU busy, recoverable sync and lane offset cannot be told: no GPU activity was recorded.",
  );
  expect(keyFigures(fixture("gpu_bound")).without).toBeNull();
});

it("measures what is recoverable against all calls that wait, hidden or not", () => {
  const lead = "Recoverable sync: 889 µs;";
  expect(
    withWaits(
      [
        [126, 67_100],
        [126, 67_100],
        [0, 67_000],
      ],
      889,
    ),
  ).toBe(`${lead} of 67.2 ms in calls that wait`);
  expect(
    withWaits(
      [
        [126, 0],
        [126, 0],
      ],
      889,
    ),
  ).toBe(`${lead} 126 µs in calls that wait`);
  expect(
    withWaits(
      [
        [0, 4000],
        [0, 4000],
      ],
      889,
    ),
  ).toBe(`${lead} of 4.00 ms in calls that wait`);
  expect(
    withWaits(
      [
        [0, 0],
        [0, 0],
      ],
      0,
    ),
  ).toBe("Recoverable sync: 0 µs; no waiting call in a step");
});

it("gives a recording without steps no pace and no share", () => {
  expect(shown("no_steps").slice(0, 2)).toEqual([
    "Recorded time: 2.54 s; not split into steps, so no pace",
    "GPU busy: 588 ms; 1.62 s idle",
  ]);
});

it("has a note for each tile of each report", () => {
  for (const name of NAMES)
    expect(keyFigures(fixture(name)).tiles.every((tile) => tile.note !== "" && tile.meaning !== "")).toBe(
      true,
    );
});

it("marks unsettled steps in the series", () => {
  const [pace, busy] = keyFigures(fixture("gpu_bound")).tiles;
  expect(pace!.points.map((point) => point.settled)).toEqual([false, true, true, true, true]);
  expect([pace!.points[0]!.value, busy!.points[0]!.value]).toEqual([null, null]);
});

it("says which steps averages are over", () => {
  expect(averagesText(fixture("host_bound"))).toBe("Averages: steps 10–12, 14–17");
  expect(averagesText(fixture("hostile"))).toBe("No averages: only step 0, not known to be settled");
  expect(averagesText(fixture("no_steps"))).toBe("Not split into steps");
});
