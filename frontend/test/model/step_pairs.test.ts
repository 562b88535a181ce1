import { expect, it } from "vitest";
import { firstMetric, pairMetrics, pairRows } from "../../src/model/step_pairs";
import { comparison } from "../fixtures";

it("shows the figure first whose settled steps differ", () => {
  expect(firstMetric(comparison("tutorial"))).toBe("step_us");
  expect(firstMetric(comparison("cpu"))).toBe("step_us");
  expect(firstMetric(comparison("same"))).toBe("gpu_busy_us");
});

it("offers only what some step tells", () => {
  expect(pairMetrics(comparison("cpu")).map((entry) => entry.value)).toEqual(["step_us"]);
});

it("lays the steps side by side, with the reason of those that do not count", () => {
  const rows = pairRows(comparison("tutorial"), "gpu_busy_us");
  expect(rows.map((row) => row.label)).toEqual(["Step 2", "Step 3", "Step 4", "Step 5", "Step 6"]);
  expect(rows[0]!.bars.map((bar) => bar.unsettled)).toEqual(["cold start", "cold start"]);
  expect(rows[1]!.bars.map((bar) => bar.unsettled)).toEqual(["", ""]);
  expect(Math.max(...rows.flatMap((row) => row.bars.map((bar) => bar.length ?? 0)))).toBeLessThanOrEqual(1);
});

it("lets settled steps set the scale, and cuts what is longer", () => {
  const pair = comparison("tutorial");
  const [first] = pair.by_step;
  const long = first!.deltas.map((delta) =>
    delta.metric === "gpu_busy_us" ? { ...delta, candidate: 9e6 } : delta,
  );
  const rows = pairRows(
    { ...pair, by_step: [{ ...first!, deltas: long }, ...pair.by_step.slice(1)] },
    "gpu_busy_us",
  );
  expect(rows[0]!.bars[1]).toMatchObject({ cut: true, length: 1 });
  expect(rows[1]!.bars[0]!.length).toBeGreaterThan(0.5);
});

it("shows no bar where a side has no such step", () => {
  const pair = comparison("tutorial");
  const [first] = pair.by_step;
  const alone = {
    ...first!,
    candidate: null,
    deltas: first!.deltas.map((delta) => ({ ...delta, candidate: null })),
  };
  const [row] = pairRows({ ...pair, by_step: [alone] }, "step_us");
  expect(row!.label).toBe("Step 2");
  expect(row!.bars[1]).toMatchObject({ length: null, text: "no such step, or not measured" });
});
