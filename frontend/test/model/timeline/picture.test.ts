import { describe, expect, it } from "vitest";
import { categoryName, looksOf, LOOKS } from "../../../src/model/timeline/looks";
import { CLOSING_WAIT, NO_WAIT, pictureOf, rowKinds, WAIT } from "../../../src/model/timeline/picture";
import { ANNOTATION, block, EVENTS, KERNEL, lane, LANES, PYTHON, TIMELINE } from "./blocks";

const looks = (...args: Parameters<typeof looksOf>): string[] =>
  Array.from(looksOf(...args), (look) => LOOKS[look] ?? "");

describe("looks", () => {
  it("follow the category; communication is told by its name", () => {
    expect(looks(block(), LANES)).toEqual([
      ...["dispatch", "launch", "launch", "launch", "launch"],
      ...["compute", "communication"],
    ]);
  });

  it("of merged kernels follow the stream’s use; steps and the profiler have their own", () => {
    const at = { row: 0, start: 0, end: 1 };
    const drawn = block([
      { ...at, lane: 0, ref: 1, category: ANNOTATION, name: "ProfilerStep#3" },
      { ...at, lane: 1, ref: -5, category: KERNEL, name: null },
      { ...at, lane: 2, ref: 7, category: 0, name: "PyTorch Profiler (0)" },
    ]);
    const lanes = [lane(0), lane(1, { kind: "stream", role: "communication" }), lane(2, { kind: "other" })];
    expect(looks(drawn, lanes)).toEqual(["step", "communication", "profiler"]);
  });

  it("have words for every category, and for one that is not known", () => {
    expect(categoryName(6)).toBe("kernel");
    expect(categoryName(99)).toBe("event");
  });
});

describe("a picture", () => {
  it("marks the calls that wait, and their rows", () => {
    const shades = [
      { shade: 0, start: 72, end: 80 },
      { shade: 0, start: 80, end: 90 },
      { shade: 1, start: 31, end: 34 },
      { shade: 2, start: 40, end: 45 },
    ];
    const picture = pictureOf(block(EVENTS, shades), TIMELINE);
    expect([...picture.waits]).toEqual([NO_WAIT, WAIT, NO_WAIT, NO_WAIT, CLOSING_WAIT, NO_WAIT, NO_WAIT]);
    expect([...picture.shadeRow]).toEqual([0, 0, 1, -1]);
  });

  it("knows rows of work, and of frames that only say where the program began", () => {
    const drawn = block([
      { lane: 0, row: 0, start: 0, end: 100, ref: 0, category: PYTHON, name: "main" },
      { lane: 0, row: 1, start: 0, end: 10, ref: 1, category: PYTHON, name: "f" },
      { lane: 0, row: 1, start: 10, end: 20, ref: 2, category: PYTHON, name: "f" },
      { lane: 0, row: 1, start: 20, end: 30, ref: 3, category: PYTHON, name: "f" },
      { lane: 1, row: 0, start: 0, end: 9, ref: 4, category: 3, name: "ProfilerStep#1" },
      { lane: 1, row: 1, start: 0, end: 9, ref: 5, category: KERNEL, name: "k" },
    ]);
    expect([...rowKinds(pictureOf(drawn, TIMELINE))]).toEqual([
      ["0 0", "outer"],
      ["0 1", "plain"],
      ["1 0", "annotation"],
      ["1 1", "work"],
    ]);
    expect(rowKinds(null).size).toBe(0);
  });
});
