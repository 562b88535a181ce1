import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Comparison } from "../../src/api/types";
import type { Sides } from "../../src/model/sides";
import { parsePlace } from "../../src/state/place";
import { ComparisonView } from "../../src/views/compare/comparison_view";
import { comparison, PAIRS, picked } from "../fixtures";

const SIDES: Sides = { baseline: picked("a"), candidate: picked("b"), page: "candidate" };

let root: HTMLElement;

beforeEach(() => {
  root = document.createElement("div");
  document.body.append(root);
});

afterEach(() => {
  render(null, root);
  root.remove();
});

function show(pair: Comparison): ReturnType<typeof vi.fn> {
  const go = vi.fn();
  act(() => render(<ComparisonView comparison={pair} sides={SIDES} place={parsePlace("")} go={go} />, root));
  return go;
}

const text = (selector: string): string =>
  (root.querySelector(selector)?.textContent ?? "").replaceAll("\u202f", " ");

function click(selector: string): void {
  act(() => root.querySelector<HTMLElement>(selector)?.click());
}

describe.each(PAIRS)("the comparison %s", (name) => {
  it("is shown whole: verdict, why, findings, rules", () => {
    const pair = comparison(name);
    show(pair);
    expect(text("h1")).toBe(pair.headline.text);
    expect(text(".headline .hint")).toContain(pair.headline.why.slice(0, 20));
    expect(root.querySelectorAll(".finding")).toHaveLength(pair.findings.length);
    for (const rule of pair.rules)
      if (rule.outcome !== "found") expect(text(".findings")).toContain(rule.title);
    expect(root.textContent).not.toMatch(/NaN|undefined/);
  });

  it("makes bold only what is beyond the noise, and draws the rest hollow", () => {
    show(comparison(name));
    for (const row of root.querySelectorAll(".deltas tbody tr")) {
      expect(row.querySelectorAll("b").length > 0).toBe(row.classList.contains("differs"));
    }
  });
});

it("opens a group to the full names of its kernels, with how sure the match is", () => {
  const pair = comparison("tutorial");
  show(pair);
  expect(root.querySelector(".group-body")).toBeNull();
  click("tr.group button");
  expect(text(".group-body")).toContain("Likely: nothing of the other side was found for it");
  expect(text(".group-body")).toContain(pair.groups[1]!.baseline.kernels[0]!.name);
  click("tr.group button");
  expect(root.querySelector(".group-body")).toBeNull();
});

it("hatches the steps that do not count, and says why", () => {
  show(comparison("tutorial"));
  expect(root.querySelectorAll(".pair-bar.unsettled")).toHaveLength(2);
  expect(text(".pair")).toContain("not settled: cold start");
});

it("opens findings in the address", () => {
  const pair = comparison("tutorial");
  const go = show(pair);
  click(".finding-head");
  expect(go).toHaveBeenCalledWith({ finding: pair.findings[0]!.rule });
});

it("says that changes are confounded, and warns", () => {
  const pair = comparison("tutorial");
  const changes = [
    ...pair.headline.changes,
    { what: "precision", baseline: "fp32", candidate: "<b>bf16</b>" },
  ];
  const warnings = [
    { kind: "not_comparable", count: 1, message: "Other devices.", advice: "Use one.", data: {} },
  ];
  show({ ...pair, headline: { ...pair.headline, changes, confounded: true }, warnings });
  expect(text(".changes")).toContain("cannot be laid to one of them");
  expect(text(".changes")).toContain("<b>bf16</b>");
  expect(text(".compare-side")).toContain("Other devices.");
});

it("shows no axis where the runs cannot be compared", () => {
  const pair = comparison("tutorial");
  show({ ...pair, headline: { ...pair.headline, verdict: "not_comparable" } });
  expect(root.querySelector(".verdict-axis")).toBeNull();
  expect(text(".headline .chip")).toBe("Not comparable");
});
