import { describe, expect, it } from "vitest";
import { listFindings } from "../../src/model/findings";
import { kindOptions, search, verdictOf } from "../../src/model/names";
import { questionOf, questions, type Question } from "../../src/model/questions";
import { fixture, NAMES, names, tutorial } from "../fixtures";

function of(name: (typeof NAMES)[number]): Question[] {
  return questions(fixture(name));
}

describe.each(NAMES)("the questions of %s", (name) => {
  it("are different ones, each with an answer", () => {
    const asked = of(name);
    expect(new Set(asked.map((entry) => entry.question)).size).toBe(asked.length);
    for (const entry of asked) {
      expect(entry.answer.length).toBeGreaterThan(0);
      expect(entry.answer.every((text) => text.length > 0)).toBe(true);
      expect(`${entry.question} ${entry.answer.join(" ")}`).not.toMatch(/NaN|undefined|null/);
    }
  });

  it("lead to findings and steps that are there", () => {
    const report = fixture(name);
    const keys = listFindings(report).map((entry) => entry.key);
    for (const { show } of of(name)) if (show && "finding" in show) expect(keys).toContain(show.finding);
  });
});

it("asks what a trace raises, in a beginner's order", () => {
  const asked = of("gpu_bound").map((entry) => entry.question.replaceAll("\u202f", " "));
  expect(asked[0]).toBe("What sets the pace of this run?");
  expect(
    asked.some((question) => /^Why is there a cudaDeviceSynchronize of .+ at the end\?$/.test(question)),
  ).toBe(true);
});

it("answers with the finding's own words, and leads to it", () => {
  const report = fixture("gpu_bound");
  const finding = report.findings.find((entry) => entry.rule === "closing-wait")!;
  const found = questions(report).find((entry) => entry.question.includes("at the end"))!;
  expect(found.answer).toEqual([finding.text]);
  expect(found.verdict).toBe("artifact");
  expect(found.show).toEqual({ finding: "closing-wait" });
});

it("finds the question that an open finding answers", () => {
  const asked = of("gpu_bound");
  const id = questionOf(asked, "closing-wait");
  expect(asked.find((entry) => entry.id === id)!.question).toContain("at the end");
  expect(questionOf(asked, "no-such")).toBeNull();
  expect(questionOf(asked, null)).toBeNull();
});

it("answers from the report’s sections: kernels, copies, what cannot be told", () => {
  const report = tutorial();
  const asked = questions(report);
  const answer = (words: string): Question => asked.find((entry) => entry.question.includes(words))!;
  expect(answer("Which kernels").figures[0]![0]).toBe(report.kernels!.rows[0]!.name);
  expect(answer("data was copied").answer.join(" ")).toContain("copied nothing");
  expect(answer("not tell").answer).toHaveLength(report.trust.cannot.length);
});

it("says over which steps a figure is, and of which time a share", () => {
  const answer = (name: (typeof NAMES)[number], words: string): string =>
    of(name)
      .find((entry) => entry.question.includes(words))!
      .answer.join(" ");
  expect(answer("gpu_bound", "lane trail")).toContain("(median of the settled steps)");
  expect(answer("gpu_bound", "GPU idle")).toMatch(/^From the end of earlier steps’ work .+ of its windows/);
  expect(answer("no_steps", "lane trail")).toMatch(/^The first kernel .+ \(whole recording\)/);
  expect(answer("no_steps", "GPU idle")).toMatch(/^From the first to the last GPU event/);
});

it("says of which steps the idle time is, and from when to when, where no or one GPU period is known", () => {
  const report = fixture("gpu_bound");
  const answer = (known: (index: number) => boolean, averaged: number): string => {
    const steps = report.steps.map((step, index) => ({
      ...step,
      gpu: step.gpu!.map((part) => ({ ...part, period_us: known(index) ? 20_000 : null })),
    }));
    const headline = { ...report.headline, steps: report.headline.steps.slice(0, averaged) };
    const asked = questions({ ...report, steps, headline });
    return asked.find(({ question }) => question.includes("GPU idle"))!.answer[0]!;
  };
  const [first, second] = report.headline.steps;
  expect(answer(() => false, 1)).toMatch(
    new RegExp(
      `^From the step’s start to the end of its work on the GPU, .+ \\(step ${first}\\)\\. .+ that time`,
    ),
  );
  expect(answer((index) => report.steps[index]!.number === second, 2)).toMatch(
    new RegExp(`^From the end of earlier .+ \\(step ${second}\\)\\. .+ that time`),
  );
});

it("says in which step the lane trails so far", () => {
  const report = tutorial();
  const findings = report.findings.map((each) => (each.rule === "run-ahead" ? { ...each, step: 6 } : each));
  const asked = questions({ ...report, findings }).map(({ question }) => question.replaceAll("\u202f", " "));
  expect(asked).toContain("Why does the GPU lane trail the CPU lane by 2.96 ms in step 6?");
  const noted = listFindings({ ...report, findings }).find(({ finding }) => finding.rule === "run-ahead")!;
  expect(noted.note.replaceAll("\u202f", " ")).toBe("looks like 2.96 ms in step 6");
});

it("asks nothing about a GPU where there is none, and says what the trace cannot tell", () => {
  const asked = of("cpu_only");
  expect(asked[0]!.question).toBe("What does this trace show?");
  expect(asked.map((entry) => entry.question).join(" ")).not.toContain("idle");
});

describe("the names of a trace", () => {
  const { entries } = names();

  it("are found by name, by meaning and by kind", () => {
    expect(search(entries, "", "cudadevicesync").map((entry) => entry.name)).toEqual([
      "cudaDeviceSynchronize",
    ]);
    expect(search(entries, "gpu", "matrix multiply")).toHaveLength(1);
    expect(search(entries, "calls", "matrix multiply")).toHaveLength(0);
    expect(search(entries, "", "  ")).toHaveLength(entries.length);
  });

  it("have a kind each", () => {
    const options = kindOptions(entries);
    expect(options.reduce((sum, option) => sum + option.number, 0)).toBe(entries.length);
    expect(options[0]!.label).toBe("GPU work");
  });

  it("get a chip only where the name alone decides", () => {
    const [first] = entries;
    expect(verdictOf({ ...first!, verdict: "depends" })).toBeNull();
    expect(verdictOf({ ...first!, verdict: "artefact" })).toBe("artifact");
  });
});
