import { describe, expect, it } from "vitest";
import type { Report } from "../../src/api/types";
import { cpuParts, gpuParts, shownParts, type Part } from "../../src/model/parts";
import { windowOf } from "../../src/model/steps";
import { fixture } from "../fixtures";

const total = (parts: readonly Part[]): number => parts.reduce((sum, part) => sum + part.us, 0);
const reports: Report[] = [fixture("gpu_bound"), fixture("host_bound"), fixture("no_steps")];

describe("parts sum to their whole", () => {
  it("on the CPU", () => {
    for (const step of reports.flatMap((report) => report.steps)) {
      expect(total(cpuParts(step))).toBeCloseTo(step.duration_us, 1);
    }
  });

  it("on the GPU", () => {
    for (const part of reports.flatMap((report) => report.steps).flatMap((step) => step.gpu ?? [])) {
      expect(total(gpuParts(part))).toBeCloseTo(part.window_us, 1);
    }
  });
});

it("never gives a negative part, whatever the exposed parts claim", () => {
  const part = {
    ...fixture("host_bound").steps[1]!.gpu![0]!,
    communication_exposed_us: 1e9,
    copy_exposed_us: 1e9,
  };
  expect(Math.min(...gpuParts(part).map((entry) => entry.us))).toBe(0);
  expect(total(gpuParts(part))).toBeCloseTo(part.window_us, 1);
});

it("draws an unsplit CPU span as one part", () => {
  const step = { ...fixture("gpu_bound").steps[0]!, cpu_by: null };
  expect(cpuParts(step)).toMatchObject([{ fill: "plain", us: step.duration_us }]);
});

it("shows parts with time, and those whose 0 answers a question", () => {
  const step = fixture("gpu_bound").steps[4]!;
  const labels = shownParts(gpuParts(step.gpu![0]!)).map((entry) => entry.label);
  expect(labels).toEqual(["Compute", "Copies, exposed", "Idle: refill bubble", "Idle: queued, not started"]);
  expect(step.gpu![0]!.idle_by_cause.sync_bubble).toBe(0);
  const uncopied = shownParts(gpuParts({ ...step.gpu![0]!, copy_exposed_us: 0 }));
  expect(uncopied.map((entry) => entry.label)).not.toContain("Copies, exposed");
  const cpu_by = { ...step.cpu_by!, launch_call: 0, wait_gpu_busy: 0 };
  const shown = (wait_gpu_idle: number): string[] =>
    shownParts(cpuParts({ ...step, cpu_by: { ...cpu_by, wait_gpu_idle } })).map((entry) => entry.label);
  expect(shown(0)).toContain("Waiting");
  expect(shown(0)).not.toContain("Launch calls");
  expect(shown(5).filter((label) => label.startsWith("Waiting"))).toEqual(["Waiting, GPU idle"]);
});

it("has one sentence for every row", () => {
  const steps = reports.flatMap((report) => report.steps);
  const rows = steps.flatMap((step) => [...cpuParts(step), ...(step.gpu ?? []).flatMap(gpuParts)]);
  for (const row of rows.flatMap((entry) => [entry, ...entry.children]))
    expect(row.meaning).toMatch(/^[A-Z].*\.$/);
});

it("splits the time in which the CPU was not ready, longest first", () => {
  const host = gpuParts(fixture("host_bound").steps[1]!.gpu![0]!).find((part) => part.fill === "host");
  expect(host?.children.map((child) => child.label)).toEqual([
    "Python",
    "operator dispatch",
    "launch and other calls",
  ]);
});

it("has no base for shares where the device's window opened with the recording", () => {
  const [first, second] = fixture("gpu_bound").steps;
  expect(windowOf(first!, first!.gpu![0]!)).toBeNull();
  expect(windowOf(second!, second!.gpu![0]!)).toBe(second!.gpu![0]!.period_us);
  const [whole] = fixture("no_steps").steps;
  expect(windowOf(whole!, whole!.gpu![0]!)).toBeGreaterThan(0);
});
