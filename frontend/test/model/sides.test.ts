import { expect, it } from "vitest";
import type { RunsAnswer, TraceFile } from "../../src/api/answers";
import { byId } from "../../src/model/files";
import { exchanged, fileLabel, others, pageSide, sidesOf } from "../../src/model/sides";

function file(id: string, worker: string | null): TraceFile {
  return {
    id,
    file: `${worker ?? "x"}.${id}.json`,
    worker,
    span: null,
    bytes: 1,
    modified_s: 1,
    state: "unread",
  };
}

const answer: RunsAnswer = {
  schema: 1,
  version: "test",
  engine: "c",
  logdirs: ["runs"],
  scanned: true,
  runs: [
    { name: "compiled", files: [file("c0", "rank0"), file("c1", "rank1"), file("c0-old", "rank0")] },
    { name: "eager", files: [file("e0", "rank0"), file("e1", "rank1")] },
  ],
};
const page = byId(answer, "c0")!;

it("makes the other file the baseline, unless the address says otherwise", () => {
  const sides = sidesOf(answer, page, "e0", null)!;
  expect([sides.baseline.file.id, sides.candidate.file.id, sides.page]).toEqual(["e0", "c0", "candidate"]);
  const swapped = sidesOf(answer, page, "e0", exchanged(null))!;
  expect([swapped.baseline.file.id, swapped.candidate.file.id, swapped.page]).toEqual([
    "c0",
    "e0",
    "baseline",
  ]);
  expect(exchanged(exchanged(null))).toBeNull();
  expect(pageSide(null)).toBe("candidate");
});

it("compares nothing without another file, and a file with itself where asked", () => {
  expect(sidesOf(answer, page, null, null)).toBeNull();
  expect(sidesOf(answer, page, "gone", null)).toBeNull();
  expect(sidesOf(answer, page, "c0", null)!.baseline.file.id).toBe("c0");
});

it("offers the same worker of other runs first", () => {
  expect(others(answer, page).map((entry) => entry.file.id)).toEqual(["e0", "c0-old", "e1", "c1"]);
});

it("names the worker once", () => {
  expect(fileLabel(page)).toBe("rank0.c0.json");
  expect(fileLabel({ ...page, worker: "w", file: { ...page.file, file: "trace.json" } })).toBe(
    "w: trace.json",
  );
});
