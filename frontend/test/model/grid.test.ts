import { describe, expect, it } from "vitest";
import {
  cellText,
  csvOf,
  filterRows,
  nextOrder,
  scaleOf,
  sortRows,
  type Column,
  type Row,
} from "../../src/model/grid";

const COLUMNS: Column[] = [
  { label: "name", kind: "text" },
  { label: "time", kind: "us" },
  { label: "of all", kind: "share" },
];
const ROWS: Row[] = [
  ["aten::mm", 20, 0.2],
  ["aten::add", null, null],
  ["void k<float>", 3000, 0.7],
  ["k10", 5, 0.1],
  ["k9", 5, 0.1],
];
const firsts = (rows: readonly Row[]): unknown[] => rows.map((row) => row[0]);

describe("sorting", () => {
  it("begins with the largest figure, then the smallest; with texts from A", () => {
    const none = { column: null, down: true };
    expect(nextOrder(none, 1, "us")).toEqual({ column: 1, down: true });
    expect(nextOrder(none, 0, "text")).toEqual({ column: 0, down: false });
    expect(nextOrder({ column: 1, down: true }, 1, "us")).toEqual({ column: 1, down: false });
  });

  it("keeps what is missing at the end both ways, and equal rows in their order", () => {
    expect(firsts(sortRows(ROWS, { column: 1, down: true }))).toEqual([
      "void k<float>",
      "aten::mm",
      "k10",
      "k9",
      "aten::add",
    ]);
    expect(firsts(sortRows(ROWS, { column: 1, down: false })).at(-1)).toBe("aten::add");
  });

  it("takes numbers in texts as numbers, and leaves the rows themselves alone", () => {
    expect(firsts(sortRows(ROWS, { column: 0, down: false })).slice(2, 4)).toEqual(["k9", "k10"]);
    expect(firsts(ROWS)[0]).toBe("aten::mm");
    expect(sortRows(ROWS, { column: null, down: true })).toBe(ROWS);
  });
});

describe("filtering", () => {
  it("wants every word in some text, whatever the case, and nothing of a pattern", () => {
    expect(firsts(filterRows(ROWS, "ATEN m"))).toEqual(["aten::mm"]);
    expect(firsts(filterRows(ROWS, "k<f"))).toEqual(["void k<float>"]);
    expect(filterRows(ROWS, ".*")).toEqual([]);
    expect(filterRows(ROWS, "  ")).toBe(ROWS);
  });
});

describe("figures", () => {
  it("share the unit of the largest, which the head names", () => {
    const scale = scaleOf(1, { columns: COLUMNS, rows: ROWS, spots: new Map() });
    expect(scale).toEqual({ unit: "ms", by: 1000 });
    expect(cellText(20, "us", scale)).toBe("0.020");
    expect(cellText(3000, "us", scale)).toBe("3.00");
  });

  it("never read 0 where they are not, and say what is missing", () => {
    expect(cellText(0.1, "us", { unit: "s", by: 1e6 })).toBe("<0.001");
    expect(cellText(0, "us", { unit: "s", by: 1e6 })).toBe("0");
    expect(cellText(0.0001, "share", { unit: "%", by: 0.01 })).toBe("<0.1");
    expect(cellText(null, "us", { unit: "s", by: 1e6 })).toBe("–");
    expect(cellText(12345, "count", { unit: "", by: 1 })).toBe("12,345");
  });
});

describe("comma-separated values", () => {
  it("name their unit, and hold figures in full", () => {
    expect(csvOf(COLUMNS, [["a", 1234.5678, null]])).toBe(
      "name,time (µs),of all (share of 1)\r\na,1234.5678,\r\n",
    );
  });

  it.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-x", "'-x"],
    ["@sum", "'@sum"],
    [" =1", "' =1"],
    ["\tx", "'\tx"],
    ["end ", '"end "'],
    ['say "hi"', '"say ""hi"""'],
    ["a,b", '"a,b"'],
    ["a\nb", '"a\nb"'],
    ['=cmd|"/c calc"', `"'=cmd|""/c calc"""`],
  ])("guard %j", (text, cell) => {
    expect(csvOf([{ label: "x", kind: "text" }], [[text]])).toBe(`x\r\n${cell}\r\n`);
  });

  it("leave negative figures alone", () => {
    expect(csvOf([{ label: "x", kind: "us" }], [[-3.5]])).toBe("x (µs)\r\n-3.5\r\n");
  });
});
