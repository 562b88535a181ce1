import { describe, expect, it } from "vitest";
import {
  AXIS_HEIGHT,
  clampScroll,
  foldedAtFirst,
  laneName,
  laneTitle,
  layOut,
  paneAt,
  rowY,
} from "../../../src/model/timeline/layout";
import { lane, LANES } from "./blocks";

const NONE = new Set<number>();
const KINDS = new Map([
  ["0 0", "outer"],
  ["1 0", "work"],
] as const);
const still = { cpu: 0, gpu: 0 };

describe("a layout", () => {
  it("puts rows below each other, without overlap, and streams below threads", () => {
    const layout = layOut(LANES, KINDS, NONE, 500);
    const places = layout.boxes.flatMap((box) =>
      box.rowTop.map((_, row) => [rowY(layout, box, row, still), box.rowHeight[row]!] as const),
    );
    for (let i = 1; i < places.length; i += 1)
      expect(places[i]![0]).toBeGreaterThanOrEqual(places[i - 1]![0] + places[i - 1]![1]);
    expect(places[0]![0]).toBeGreaterThan(AXIS_HEIGHT);
    expect(layout.headings.map((heading) => heading.text)).toEqual(["CPU", "GPU 0"]);
    expect(layout.boxes[0]!.rowHeight[0]).toBeLessThan(layout.boxes[0]!.rowHeight[1]!);
  });

  it("keeps the streams in sight however deep the threads are", () => {
    const deep = [lane(0, { rows: 60 }), LANES[1]!];
    const layout = layOut(deep, KINDS, NONE, 500);
    expect(layout.gpu.top + layout.gpu.height).toBeLessThanOrEqual(500);
    expect(layout.gpu.height).toBe(layout.gpu.content);
    expect(layout.cpu.content).toBeGreaterThan(layout.cpu.height);
    expect(clampScroll(layout, "cpu", 1e6)).toBe(layout.cpu.content - layout.cpu.height);
    expect(clampScroll(layout, "gpu", 50)).toBe(0);
    expect([paneAt(layout, 10), paneAt(layout, 100), paneAt(layout, layout.gpu.top + 5)]).toEqual([
      null,
      "cpu",
      "gpu",
    ]);
  });

  it("folds a lane into one row", () => {
    const layout = layOut(LANES, KINDS, new Set([0]), 500);
    expect(new Set(layout.boxes[0]!.rowTop).size).toBe(1);
    expect(layout.boxes[0]!.height).toBeLessThan(20);
  });

  it("has no GPU pane without streams", () => {
    expect(layOut([LANES[0]!], KINDS, NONE, 500).gpu.height).toBe(0);
  });

  it("starts with minor threads folded, and names lanes by what they do", () => {
    const lanes = [...LANES, lane(2), lane(3, { rows: 1 })];
    expect([...foldedAtFirst(lanes)]).toEqual([2]);
    expect(laneTitle(LANES[0]!)).toEqual(["Main thread", "thread 0"]);
    expect(laneTitle(LANES[1]!)).toEqual(["Compute · 7", "thread 1"]);
    expect(laneName(LANES[1]!)).toEqual({ first: "Compute", stream: " · 7", second: "thread 1" });
    expect(laneName(lane(9, { stream: "7" }))).toEqual({ first: "thread 9", stream: "", second: "" });
    expect(laneTitle(lane(9))).toEqual(["thread 9", ""]);
  });

  it("names processes where there are several", () => {
    const layout = layOut([lane(0), lane(1, { process: "2" })], KINDS, NONE, 500);
    expect(layout.headings.map((heading) => heading.text)).toEqual(["CPU, process 1", "CPU, process 2"]);
  });
});
