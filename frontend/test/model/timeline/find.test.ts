import { describe, expect, it } from "vitest";
import {
  across,
  atPoint,
  atTime,
  beside,
  durationText,
  inRange,
  trackOf,
} from "../../../src/model/timeline/find";
import { layOut, rowY } from "../../../src/model/timeline/layout";
import { block, LANES, OPERATOR } from "./blocks";

const drawn = block(undefined, [], 1000, 1100);
const layout = layOut(LANES, new Map(), new Set(), 500);
const still = { cpu: 0, gpu: 0 };
const calls = trackOf(drawn, 0, 1)!;

function yOf(lane: number, row: number): number {
  return (
    rowY(
      layout,
      layout.boxes.find((box) => box.lane.id === lane)!,
      row,
      still,
    ) + 2
  );
}

describe("a rectangle", () => {
  it("that reaches far out of its window says that its times are cut", () => {
    const event = { lane: 0, row: 0, start: -100, end: 200, ref: 1, category: OPERATOR, name: "long" };
    const long = block([event], [], 5000, 5100);
    const found = atTime(long, trackOf(long, 0, 0)!, 5050, 0)!;
    expect([found.cutStart, found.cutEnd]).toEqual([true, true]);
    expect(durationText(found)).toBe("over 300\u202fµs");
    const short = atTime(drawn, calls, 1007, 0)!;
    expect([short.cutStart, short.cutEnd, durationText(short)]).toEqual([false, false, "5.00\u202fµs"]);
  });
});

describe("finding", () => {
  it("gives the rectangle at a point, with times from the first step’s start", () => {
    const found = atPoint(drawn, layout, still, { at_us: 1020, y: yOf(1, 0), slack_us: 0 });
    expect(found).toMatchObject({ lane: 1, row: 0, event: 5, name: "sgemm", start_us: 1015, end_us: 1040 });
    expect(atPoint(drawn, layout, still, { at_us: 1042, y: yOf(1, 0), slack_us: 0 })).toBeNull();
    expect(atPoint(drawn, layout, still, { at_us: 1020, y: 3, slack_us: 9 })).toBeNull();
  });

  it("forgives a little, and prefers what is nearer", () => {
    expect(atTime(drawn, trackOf(drawn, 1, 0)!, 1041, 3)?.event).toBe(5);
    expect(atTime(drawn, trackOf(drawn, 1, 0)!, 1044, 3)?.event).toBe(6);
  });

  it("tells merged events by their number", () => {
    expect(atTime(drawn, calls, 1015, 0)).toMatchObject({ event: null, merged: 7, name: null });
  });

  it("finds the deepest in a folded lane", () => {
    const folded = layOut(LANES, new Map(), new Set([0]), 500);
    const y = rowY(folded, folded.boxes[0]!, 0, still) + 2;
    expect(atPoint(drawn, folded, still, { at_us: 1007, y, slack_us: 0 })?.event).toBe(2);
    expect(atPoint(drawn, folded, still, { at_us: 1050, y, slack_us: 0 })?.event).toBe(1);
  });

  it("goes along a row past what is merged, and ends at its end", () => {
    expect(beside(drawn, calls, 1005, 1)?.event).toBe(3);
    expect(beside(drawn, calls, 1030, -1)?.event).toBe(2);
    expect(beside(drawn, calls, 1030, 1)).toBeNull();
    expect(beside(drawn, calls, 1005, -1)).toBeNull();
  });

  it("goes to the nearest event of the next row in sight", () => {
    const seen = { from: 1000, to: 1100 };
    expect(across(drawn, layout, { lane: 0, row: 0 }, 1032, 1, seen)?.event).toBe(3);
    expect(across(drawn, layout, { lane: 0, row: 1 }, 1032, 1, seen)?.event).toBe(5);
    expect(across(drawn, layout, null, 1032, 1, seen)?.event).toBe(1);
    expect(across(drawn, layout, { lane: 0, row: 0 }, 1032, -1, seen)).toBeNull();
    expect(across(drawn, layout, { lane: 0, row: 0 }, 1099, 1, { from: 1080, to: 1100 })?.event).toBe(6);
  });

  it("lists what is in a range, and says when it stops", () => {
    const [all, more] = inRange(drawn, 1000, 1100, 100);
    expect([all.length, more]).toEqual([7, false]);
    const [some, rest] = inRange(drawn, 1000, 1100, 3);
    expect([some.length, rest]).toEqual([3, true]);
    expect(inRange(drawn, 1062, 1068, 100)[0].map((found) => found.event)).toEqual([6]);
  });
});
