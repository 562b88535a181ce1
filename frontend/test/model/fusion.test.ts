import { describe, expect, it } from "vitest";
import type { FusionGroup } from "../../src/api/types";
import { byChange, fusionMap, type Piece } from "../../src/model/fusion";
import { compileTable } from "../../src/model/compile_facts";
import { launches } from "../../src/model/launches";
import { comparison, PAIRS } from "../fixtures";

function pieces(name: (typeof PAIRS)[number], side: "baseline" | "candidate"): Piece[] {
  const { groups, group_summary } = comparison(name);
  return fusionMap(groups, group_summary)!.segments.flatMap((segment) => segment[side] ?? []);
}

describe.each(PAIRS)("the map of %s", (name) => {
  it("is as high on each side as its time", () => {
    const { groups, group_summary: summary } = comparison(name);
    const map = fusionMap(groups, summary)!;
    for (const side of ["baseline", "candidate"] as const) {
      const share = summary[`${side}_us`] / Math.max(summary.baseline_us, summary.candidate_us);
      const last = pieces(name, side).at(-1)!;
      expect(last.top + last.height).toBeCloseTo(map.height * share, -1);
    }
  });

  it("keeps its labels apart and inside", () => {
    const { groups, group_summary } = comparison(name);
    const { height } = fusionMap(groups, group_summary)!;
    for (const side of ["baseline", "candidate"] as const) {
      const labels = pieces(name, side).map((piece) => piece.label);
      labels.forEach((label, index) => {
        if (index > 0) expect(label - labels[index - 1]!).toBeGreaterThanOrEqual(36 - 1e-6);
        expect(label).toBeLessThanOrEqual(height);
        expect(label).toBeGreaterThanOrEqual(0);
      });
    }
  });

  it("has every group in the table, what changed most first", () => {
    const { groups } = comparison(name);
    const changes = byChange(groups).map(({ group }) =>
      Math.abs(group.candidate.time_us - group.baseline.time_us),
    );
    expect(changes).toHaveLength(groups.length);
    expect(changes).toEqual([...changes].sort((a, b) => b - a));
  });
});

it("has one piece for what only one side has", () => {
  const { groups, group_summary } = comparison("tutorial");
  const map = fusionMap(groups, group_summary)!;
  const sides = map.segments.map(({ kind, baseline, candidate }) => [
    kind,
    baseline !== null,
    candidate !== null,
  ]);
  expect(sides).toEqual([
    ["dispatch_fused", true, true],
    ["removed", true, false],
    ["added", false, true],
  ]);
});

it("draws small groups of a kind as one, and a single one as itself", () => {
  const group = (time_us: number): FusionGroup => ({
    ...comparison("same").groups[0]!,
    baseline: side(time_us),
    candidate: side(time_us),
  });
  const side = (time_us: number) => ({ events: 1, time_us, bytes: null, kernels: [] });
  const summary = { ...comparison("same").group_summary, baseline_us: 200, candidate_us: 200 };
  const many = Array.from({ length: 14 }, (_, index) => group(20 - index));
  expect(fusionMap(many, summary)!.segments.at(-1)!.title).toBe("5 smaller groups");
  expect(fusionMap(many.slice(0, 10), summary)!.segments).toHaveLength(10);
  expect(fusionMap([], summary)).toBeNull();
});

it("tells what torch.compile did, and why a figure is missing", () => {
  const table = compileTable(comparison("tutorial"))!;
  const tax = table.rows.find((row) => row.label === "Compile tax a step")!;
  expect([tax.baseline, tax.candidate.replaceAll("\u202f", " ")]).toEqual(["–", "28.0 µs"]);
  expect(table.rows.find((row) => row.label === "Break-even")!.candidate).toBe("not known");
  expect(table.why).toHaveLength(1);
  const breaks = compileTable(comparison("breaks"))!;
  expect(breaks.rows.find((row) => row.label === "Graph breaks")!.candidate).not.toBe("0");
  expect(compileTable(comparison("same"))).toBeNull();
});

it("counts launch calls in squares, more calls a square where there are many", () => {
  const pair = comparison("tutorial");
  expect(launches(pair)!.rows.map((row) => [row.squares, row.text])).toEqual([
    [2, "A: 2 calls; 2 kernels"],
    [2, "B: 2 calls; 1 kernel"],
  ]);
  const many = pair.deltas.map((delta) =>
    delta.metric === "launches" ? { ...delta, baseline: 2235 } : delta,
  );
  expect(launches({ ...pair, deltas: many })).toMatchObject({
    each: 10,
    rows: [{ squares: 224 }, { squares: 1 }],
  });
  expect(launches(comparison("cpu"))).toBeNull();
});
