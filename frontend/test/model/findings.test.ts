import { expect, it } from "vitest";
import type { Finding } from "../../src/api/types";
import { findingOf, listFindings } from "../../src/model/findings";
import { fixture } from "../fixtures";

it("orders by what is at stake: known, unknown, nothing; artefacts last", () => {
  const listed = listFindings(fixture("host_bound"));
  expect(listed.map((entry) => entry.key)).toEqual([
    "refill-bubble",
    "input-wait",
    "small-kernels",
    "recompile@13",
    "closing-wait",
  ]);
  expect(listed.map((entry) => entry.note.replaceAll("\u202f", " "))).toEqual([
    "per step",
    "per step",
    "per step",
    "cannot be told",
    "looks like 2.17 ms",
  ]);
});

it("gives what an undecided finding looks like, where that is known", () => {
  const report = fixture("host_bound");
  const base: Finding = { ...report.findings[0]!, at_stake_us: null, looks_like_us: 134_633 };
  const stake = (verdict: Finding["verdict"], looks_like_us: number | null): string => {
    const [entry] = listFindings({ ...report, findings: [{ ...base, verdict, looks_like_us }] });
    return `${entry!.stake} ${entry!.note}`.replaceAll("\u202f", " ");
  };
  expect(stake("undecided", 134_633)).toBe("135 ms, gain unknown");
  expect(stake("undecided", null)).toBe("Stake cannot be told");
  expect(stake("fix", 134_633)).toBe("Stake cannot be told");
});

it("draws bars against the largest stake, and none where nothing is at stake", () => {
  const bars = listFindings(fixture("host_bound")).map((entry) => entry.bar);
  expect(bars[0]).toBe(1);
  expect(bars[1]).toBeCloseTo(3400 / 8420);
  expect(bars.slice(3)).toEqual([null, null]);
});

it("gives findings of one rule and step different keys", () => {
  const report = fixture("host_bound");
  const again: Finding = { ...report.findings[0]!, at_stake_us: 1 };
  const keys = listFindings({ ...report, findings: [report.findings[0]!, again] }).map((entry) => entry.key);
  expect(keys).toEqual(["refill-bubble", "refill-bubble~2"]);
});

it("leads from a pill to its own finding, else to the rule's first", () => {
  const report = fixture("gpu_bound");
  const other: Finding = { ...report.findings[1]!, pill: "another wait" };
  const listed = listFindings({ ...report, findings: [...report.findings, other] });
  expect(findingOf(listed, "closing-wait", "another wait")).toBe("closing-wait~2");
  expect(findingOf(listed, "closing-wait", "no such words")).toBe("closing-wait");
  expect(findingOf(listed, "no-such-rule")).toBeNull();
  expect(findingOf(listed, null)).toBeNull();
});
