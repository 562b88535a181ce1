import { describe, expect, it } from "vitest";
import { BadBlock, firstEndingAfter, nameOf, readBlock } from "../../../src/model/timeline/block";
import { block, EVENTS, OPERATOR, pack } from "./blocks";

describe("a block", () => {
  it("is read as it was packed", () => {
    const read = block(EVENTS, [{ shade: 2, start: 40, end: 45 }], 1000, 1100);
    expect([read.from_us, read.to_us]).toEqual([1000, 1100]);
    expect(read.tracks).toEqual([
      { lane: 0, row: 0, first: 0, end: 2 },
      { lane: 0, row: 1, first: 2, end: 5 },
      { lane: 1, row: 0, first: 5, end: 7 },
    ]);
    expect([...read.start]).toEqual(EVENTS.map((event) => event.start));
    expect([...read.ref]).toEqual([1, 4, 2, -7, 3, 5, 6]);
    expect(EVENTS.map((_, i) => nameOf(read, i))).toEqual(EVENTS.map((event) => event.name));
    expect(read.shades).toEqual([{ shade: 2, first: 0, end: 1 }]);
    expect([read.shadeStart[0], read.shadeEnd[0]]).toEqual([40, 45]);
  });

  it("keeps names of any script as they are", () => {
    const name = "<b>核 🚀 مرحبا</b>";
    const read = block([{ lane: 0, row: 0, start: 0, end: 1, ref: 0, category: OPERATOR, name }]);
    expect(nameOf(read, 0)).toBe(name);
  });

  it("may be empty", () => {
    const read = readBlock(pack(0, 1, []));
    expect([read.tracks, read.names, read.shades]).toEqual([[], [], []]);
  });

  it.each([
    ["too short", new ArrayBuffer(12)],
    ["cut off", pack(0, 100, EVENTS).slice(0, 120)],
    ["something else", new ArrayBuffer(400)],
  ])("that is %s is refused", (_why, buffer) => {
    expect(() => readBlock(buffer)).toThrow(BadBlock);
  });

  it("is searched by time", () => {
    const read = block();
    const [operators, calls] = [read.tracks[0]!, read.tracks[1]!];
    expect(firstEndingAfter(read, operators, 59)).toBe(0);
    expect(firstEndingAfter(read, operators, 60)).toBe(1);
    expect(firstEndingAfter(read, calls, 36)).toBe(calls.end);
  });
});
