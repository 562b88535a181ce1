import { describe, expect, it } from "vitest";
import type { RunsAnswer, TraceFile } from "../../src/api/answers";
import { arrival, choose, filesOf, goneText, latest, workers } from "../../src/model/files";

function file(id: string, worker: string, modified_s: number): TraceFile {
  return { id, file: `${id}.pt.trace.json`, worker, span: null, bytes: 1, modified_s, state: "unread" };
}

const a1 = file("a1", "rank0", 300);
const a2 = file("a2", "rank1", 290);
const a3 = file("a3", "rank0", 100);
const b1 = file("b1", "w", 200);
const answer: RunsAnswer = {
  schema: 1,
  version: "",
  engine: "c",
  logdirs: ["runs"],
  scanned: true,
  runs: [
    { name: "a", files: [a1, a2, a3] },
    { name: "b", files: [b1] },
  ],
};
const nothing = { run: null, worker: null, file: null };

function chosen(wanted: Partial<typeof nothing> | { file: string }): string {
  const choice = choose(answer, { ...nothing, ...wanted });
  return choice.state === "picked" ? choice.picked.file.id : choice.state;
}

describe("the file shown", () => {
  it("is the newest, until one is asked for", () => expect(chosen({})).toBe("a1"));
  it("is the one asked for", () => expect(chosen({ file: "a3" })).toBe("a3"));
  it("is the newest of the run and worker asked for", () => {
    const choice = choose(answer, { run: "a", worker: "rank1", file: null });
    expect(choice).toMatchObject({ picked: { file: { id: "a2" } } });
  });
  it.each([
    [{ run: "x" }, "Run ‘x’ is not there (any more); showing ‘a’."],
    [{ run: "x", file: "b1" }, "Run ‘x’ is not there (any more); showing ‘b’."],
    [{ run: "a", worker: "x" }, "Worker ‘x’ is not there (any more); showing ‘rank0’."],
    [{ run: "a", worker: "x", file: "a3" }, "Worker ‘x’ is not there (any more); showing ‘rank0’."],
    [
      { run: "b", file: "zz" },
      "The file of this address is not there (any more); showing ‘b1.pt.trace.json’.",
    ],
    [
      { run: "b", file: "a3" },
      "The file of this address is not there (any more); showing ‘b1.pt.trace.json’.",
    ],
  ])("is told where it is not the one of %j", (wanted, told) => {
    const choice = choose(answer, { ...nothing, ...wanted });
    expect(choice.state === "gone" && goneText(choice)).toBe(told);
  });
  it("is another worker’s where the address names that one and no file of its own", () => {
    expect(choose(answer, { run: "a", worker: "rank1", file: "a3" })).toMatchObject({
      what: "file",
      instead: { file: { id: "a2" } },
    });
  });
  it("is none in an empty directory", () => {
    expect(choose({ ...answer, runs: [] }, nothing)).toEqual({ state: "empty" });
    expect(choose({ ...answer, runs: [{ name: "a", files: [] }] }, nothing)).toEqual({ state: "empty" });
  });
});

it("lists workers once, and each one's files newest first", () => {
  expect(workers(answer.runs[0]!)).toEqual(["rank0", "rank1"]);
  expect(filesOf(answer.runs[0]!, "rank0")).toEqual([a1, a3]);
  expect(latest(answer)).toBe(a1);
});

describe("arrivals", () => {
  const seen = { shown: a3, newest: a1 };
  const withFirst = (first: TraceFile): RunsAnswer => ({
    ...answer,
    runs: [{ name: "c", files: [first] }, ...answer.runs],
  });

  it("are none while nothing changes", () => expect(arrival(answer, seen)).toBeNull());
  it("are told when a newer file comes", () => {
    expect(arrival(withFirst(file("c1", "w", 400)), seen)).toMatchObject({
      kind: "newer",
      picked: { file: { id: "c1" } },
    });
  });
  it("are no older files that come to the front because the newest was removed", () => {
    const without = {
      ...answer,
      runs: [
        { name: "b", files: [b1] },
        { name: "a", files: [a3] },
      ],
    };
    expect(arrival(without, seen)).toBeNull();
  });
  it("tell that the file shown was written again, or is gone", () => {
    expect(arrival(answer, { ...seen, shown: { ...a3, modified_s: 99 } })).toEqual({ kind: "rewritten" });
    expect(arrival({ ...answer, runs: [answer.runs[1]!] }, seen)).toEqual({ kind: "vanished" });
  });
});
