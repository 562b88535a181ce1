import { expect, it } from "vitest";
import type { Span, Spans } from "../../src/api/types";
import { miniTimeline, spanLook } from "../../src/model/spans";

const span = (start_us: number, duration_us: number, name = "op"): Span => ({
  name,
  start_us,
  duration_us,
  event: 1,
});
const lane = (name: string, spans: Span[]): Spans => ({ kind: "spans", lane: name, spans });

it("puts all lanes on one axis", () => {
  const drawing = miniTimeline(
    [lane("CPU", [span(0, 100)]), lane("GPU 0", [span(100, 100, "gemm")])],
    "fix",
  )!;
  const [cpu, gpu] = drawing.lanes.map((entry) => entry.boxes[0]!);
  expect(cpu!.left + cpu!.width).toBeCloseTo(gpu!.left);
  expect(gpu!.left + gpu!.width).toBeLessThan(1);
  expect(drawing.ticks.map((tick) => tick.label)).toEqual(["50\u202fµs", "100\u202fµs", "150\u202fµs"]);
});

it("puts nested spans below their parents and neighbours side by side", () => {
  const [only] = miniTimeline([lane("CPU", [span(10, 20), span(0, 100), span(40, 20)])], "fix")!.lanes;
  expect(only!.rows).toBe(2);
  expect(only!.boxes.map((box) => box.row)).toEqual([0, 1, 1]);
});

it("draws thousands of tiny spans as the few boxes that can be seen", () => {
  const many = Array.from({ length: 20_000 }, (_, index) => span(index, 0.5));
  expect(miniTimeline([lane("GPU", many)], "fix")!.lanes[0]!.boxes.length).toBeLessThan(1000);
});

it("draws nothing without spans, and a span without length", () => {
  expect(miniTimeline([], "fix")).toBeNull();
  expect(miniTimeline([lane("CPU", [])], "fix")).toBeNull();
  const box = miniTimeline([lane("CPU", [span(5, 0)])], "fix")!.lanes[0]!.boxes[0]!;
  expect(Number.isFinite(box.left)).toBe(true);
});

it("never paints the profiler's own wait as a wait", () => {
  expect(spanLook("CPU calls", "cudaDeviceSynchronize", "artifact")).toBe("profiler");
  expect(spanLook("CPU calls", "cudaDeviceSynchronize", "fix")).toBe("wait-busy");
  expect(spanLook("GPU stream 7", "ncclDevKernel_AllReduce", "fix")).toBe("communication");
  expect(spanLook("CPU calls", "cudaLaunchKernel", "fix")).toBe("launch");
});
