import { expect, it } from "vitest";
import { join } from "../../src/model/format";
import { averagesText, tiles } from "../../src/model/figures";
import { fixture, NAMES } from "../fixtures";

function shown(name: (typeof NAMES)[number]): string[] {
  return tiles(fixture(name)).map((tile) => {
    const figure = tile.figure ? join(tile.figure) : "not measured";
    return `${tile.label}: ${figure}; ${tile.note}`.replaceAll("\u202f", " ");
  });
}

it("leads with the pace, and shows the CPU span beneath it", () => {
  expect(shown("gpu_bound")).toEqual([
    "Step pace: 22.9 ms; CPU span 2.01 ms, GPU 22.9 ms",
    "GPU busy: 99.2 %; 195 µs idle of 22.9 ms",
    "Recoverable sync: 0 µs; no waiting call in a step",
    "Lane offset: 52.2 ms; first 20.8 ms, last 83.5 ms",
  ]);
});

it("never shows 0 for what was not measured, and says why", () => {
  expect(shown("cpu_only").slice(1)).toEqual([
    "GPU busy: not measured; no GPU activity was recorded",
    "Recoverable sync: not measured; no GPU activity was recorded",
    "Lane offset: not measured; no GPU activity was recorded",
  ]);
});

it("gives a recording without steps no pace and no share", () => {
  expect(shown("no_steps").slice(0, 2)).toEqual([
    "Recorded time: 2.54 s; not split into steps, so no pace",
    "GPU busy: 588 ms; 1.62 s idle",
  ]);
});

it("has a note for each tile of each report", () => {
  for (const name of NAMES) expect(tiles(fixture(name)).every((tile) => tile.note !== "")).toBe(true);
});

it("marks unsettled steps in the series", () => {
  const [pace, busy] = tiles(fixture("gpu_bound"));
  expect(pace!.points.map((point) => point.settled)).toEqual([false, true, true, true, true]);
  expect([pace!.points[0]!.value, busy!.points[0]!.value]).toEqual([null, null]);
});

it("says which steps averages are over", () => {
  expect(averagesText(fixture("host_bound"))).toBe("Averages: steps 10–12, 14–17");
  expect(averagesText(fixture("hostile"))).toBe("No averages: only step 0, not known to be settled");
  expect(averagesText(fixture("no_steps"))).toBe("Not split into steps");
});
