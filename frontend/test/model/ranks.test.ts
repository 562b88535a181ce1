import { describe, expect, it } from "vitest";
import type { RanksTogether } from "../../src/api/types";
import { ranksGrid, ranksNote } from "../../src/model/ranks";

const CYCLE: RanksTogether = {
  ...{ steps: [3, 4], ranks: [0, 1], collectives: 12, transfer_us: 1000, reason: null },
  by_rank: [
    { rank: 0, time_us: 1000, waiting_us: 0, late_count: 9, late_us: 2500 },
    { rank: 1, time_us: 4000, waiting_us: 3000, late_count: 0, late_us: 0 },
  ],
};

describe("several ranks", () => {
  it("have a row each, which sums to its time", () => {
    const { columns, rows } = ranksGrid(CYCLE, 1);
    expect(rows.map((row) => row[0])).toEqual(["0", "1, this file"]);
    for (const row of rows) {
      expect(row).toHaveLength(columns.length);
      expect(Number(row[2]) + Number(row[4])).toBe(row[1]);
    }
    expect(rows[1]![3]).toBe(0.75);
  });

  it("say why nothing can be told apart", () => {
    expect(ranksNote(CYCLE).replaceAll("\u202f", " ")).toBe(
      "12 collectives in steps 3–4; the transfer takes 1.00 ms on every rank.",
    );
    const reason = "a rank has two files of the same steps";
    expect(ranksNote({ ...CYCLE, collectives: null, reason })).toContain(reason);
  });
});
