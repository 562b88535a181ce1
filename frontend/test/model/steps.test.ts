import { expect, it } from "vitest";
import {
  defaultStep,
  deviceIds,
  gpuSide,
  missingReason,
  reasonWord,
  shownDevice,
  stepIndex,
  stepKeys,
} from "../../src/model/steps";
import { fixture } from "../fixtures";

it("names steps by number, by a count where numbers repeat, and the unnumbered one", () => {
  const { steps } = fixture("gpu_bound");
  expect(stepKeys(steps)).toEqual(["2", "3", "4", "5", "6"]);
  const twice = [steps[0]!, { ...steps[0]!, pid: "rank 1" }, steps[1]!];
  expect(stepKeys(twice)).toEqual(["2", "2.2", "3"]);
  expect(stepKeys(fixture("no_steps").steps)).toEqual(["all"]);
});

it("shows the last averaged step until another is asked for", () => {
  const report = fixture("gpu_bound");
  expect(defaultStep(report)).toBe(4);
  expect(stepIndex(report, "3")).toBe(1);
  expect(stepIndex(report, "99")).toBe(4);
  expect(defaultStep({ ...report, headline: { ...report.headline, steps: [] } })).toBe(4);
  const first = { ...report.headline, steps: [2], settled: false };
  expect(defaultStep({ ...report, headline: first })).toBe(0);
});

it("finds the devices that worked, and the one to show", () => {
  const report = fixture("host_bound");
  expect(deviceIds(report)).toEqual([0, 1]);
  expect(shownDevice(report, "1")).toBe(1);
  expect(shownDevice(report, "7")).toBe(0);
  expect(shownDevice(fixture("cpu_only"), null)).toBeNull();
});

it("keeps nothing launched and nothing recorded apart", () => {
  const [cpuOnly] = fixture("cpu_only").steps;
  const [launchedNothing] = fixture("hostile").steps;
  const [measured] = fixture("gpu_bound").steps;
  expect(gpuSide(cpuOnly!, null)).toEqual({ state: "missing", reason: "no GPU activity was recorded" });
  expect(gpuSide({ ...cpuOnly!, not_measured: {} }, null)).toMatchObject({ state: "missing" });
  expect(gpuSide(launchedNothing!, 0)).toEqual({ state: "idle" });
  expect(gpuSide(measured!, 0)).toMatchObject({ state: "measured" });
  expect(gpuSide(measured!, 1)).toEqual({ state: "idle" });
});

it("finds the reason for a missing figure by its field or by what holds it", () => {
  const [step] = fixture("cpu_only").steps;
  expect(missingReason([step!], ["sync.bubble_us"])).toBe("no GPU activity was recorded");
  expect(missingReason([step!], ["lane_offset"])).toBe("no GPU activity was recorded");
  expect(missingReason([step!], ["launches"])).toBeNull();
});

it("has a word even for a reason that it does not know", () => {
  expect(reasonWord("cold_start")).toBe("cold start");
  expect(reasonWord("some_new_reason")).toBe("some new reason");
});
