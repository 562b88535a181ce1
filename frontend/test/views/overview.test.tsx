import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CopyRow, Finding, Report, Spans } from "../../src/api/types";
import { listFindings } from "../../src/model/findings";
import { hasGpuWork } from "../../src/model/steps";
import { parsePlace, type Place } from "../../src/state/place";
import { Overview } from "../../src/views/overview/overview";
import { fixture, NAMES, picked, tutorial } from "../fixtures";

let root: HTMLElement;

beforeEach(() => {
  root = document.createElement("div");
  document.body.append(root);
});

afterEach(() => {
  render(null, root);
  root.remove();
});

function show(report: Report, place: Partial<Place> = {}, go = vi.fn()): typeof go {
  act(() =>
    render(
      <Overview report={report} shown={picked("run")} place={{ ...parsePlace(""), ...place }} go={go} />,
      root,
    ),
  );
  return go;
}

const text = (selector: string): string =>
  (root.querySelector(selector)?.textContent ?? "").replaceAll("\u202f", " ");
const texts = (selector: string): string[] =>
  [...root.querySelectorAll(selector)].map((element) =>
    (element.textContent ?? "").replaceAll("\u202f", " "),
  );

function click(selector: string): void {
  act(() => root.querySelector<HTMLElement>(selector)?.click());
}

describe.each(NAMES)("the report %s", (name) => {
  it("is shown whole: verdict, four figures, every step, every finding, every rule", () => {
    const report = fixture(name);
    show(report);
    expect(text("h1")).toBe(report.headline.text);
    expect(root.querySelectorAll(".tile")).toHaveLength(hasGpuWork(report) ? 4 : 1);
    expect(root.querySelectorAll("[role=option]")).toHaveLength(report.steps.length);
    expect(root.querySelectorAll(".finding")).toHaveLength(report.findings.length);
    const told = text(".findings");
    for (const rule of report.rules) if (rule.outcome !== "found") expect(told).toContain(rule.title);
  });

  it("has a name for every button, and no element that runs code", () => {
    show(fixture(name), { finding: "x@0" });
    for (const button of root.querySelectorAll("button")) {
      expect(button.textContent || button.getAttribute("aria-label")).not.toBe("");
    }
    expect(root.querySelectorAll("script, img, iframe, [onerror], [href^='javascript']")).toHaveLength(0);
  });
});

describe("evidence", () => {
  it("leads to the timeline, its event chosen", () => {
    const report = fixture("gpu_bound");
    const lanes = (each: Finding): Spans[] =>
      each.evidence.filter((one): one is Spans => one.kind === "spans");
    const finding = listFindings(report).find((entry) =>
      lanes(entry.finding).some(({ spans }) => spans.some(({ event }) => event !== null)),
    )!;
    const go = show(report, { finding: finding.key });
    click(".lane-spots button");
    expect(go).toHaveBeenCalledWith(expect.objectContaining({ tab: "timeline", at: null }));
  });
});

describe("the kernel to look at first", () => {
  const COPY: CopyRow = {
    ...{ kind: "copy", name: "Memcpy HtoD (Pageable -> Device)", direction: "HtoD", longest_event: 12 },
    ...{ source: "pageable", target: "device", pinned: false, figures: tutorial().copies!.copies },
  };
  const report = tutorial();
  const row = { ...report.kernels!.rows[0]!, name: "void sgemm_64x64<float>(int)", longest_event: 7 };
  report.kernels = { ...report.kernels!, rows: [{ ...row, human: "Matrix multiply in fp32" }] };
  report.headline.first = { text: "Look at sgemm_64x64 first. It takes 40 % of the GPU’s work.", rule: null };

  it("has its name for people, and leads to its longest run on the timeline", () => {
    const go = show(report);
    expect(text(".advice")).toContain("It is: Matrix multiply in fp32.");
    click(".action > .link");
    expect(go).toHaveBeenCalledWith({ tab: "timeline", ev: "7", at: null });
  });

  it("may be a copy, where copies are what to move less of", () => {
    const first = { text: "Move fewer bytes. Keep data on the GPU.", rule: null };
    const copies = { ...tutorial().copies!, rows: [COPY] };
    const go = show({ ...report, copies, headline: { ...report.headline, first } });
    click(".action > .link");
    expect(go).toHaveBeenCalledWith({ tab: "timeline", ev: "12", at: null });
  });

  it("is not looked for in other advice", () => {
    show({ ...report, headline: { ...report.headline, first: { text: "Record more steps.", rule: null } } });
    expect(root.querySelector(".action > .link")).toBeNull();
  });
});

describe("a trace without GPU work", () => {
  it("says why, and shows no 0 for it", () => {
    show(fixture("cpu_only"));
    expect(texts(".tile dt")).toEqual(["Step pace"]);
    expect(text(".tiles .without")).toContain("cannot be told: no GPU activity was recorded.");
    expect(text(".scale")).not.toContain("GPU");
    expect(text(".step-table")).not.toContain("GPU");
    expect(text(".steps header")).toContain("CPU span of each step.");
  });
});

describe("steps", () => {
  it("hatch what is not settled, and the GPU side of the first", () => {
    show(fixture("host_bound"));
    const veiled = [...root.querySelectorAll(".column")].filter((column) => column.querySelector(".veil"));
    expect(veiled.map((column) => column.id)).toEqual(["step-10", "step-13"]);
    expect(veiled[1]!.querySelectorAll(".tear")).toHaveLength(2);
    expect(veiled[1]!.getAttribute("aria-label")).toContain("not settled: recompile, loading");
  });

  it("are chosen by mouse and by keys", () => {
    const go = show(fixture("gpu_bound"), { step: "4" });
    click("#step-3");
    expect(go).toHaveBeenLastCalledWith({ step: "3" });
    const list = root.querySelector("[role=listbox]")!;
    act(() => void list.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true })));
    expect(go).toHaveBeenLastCalledWith({ step: "5" });
    act(() => void list.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true })));
    expect(go).toHaveBeenLastCalledWith({ step: "6" });
  });

  it("name in the legend what is hatched and what is pale", () => {
    show(fixture("host_bound"));
    expect(texts(".steps header .mark")).toEqual([
      " not settled",
      " first step: its GPU time began before recording",
    ]);
    expect(root.querySelectorAll("#step-10 .veil.open")).toHaveLength(1);
    expect(root.querySelectorAll("#step-13 .veil.open")).toHaveLength(0);
  });

  it("say in the table why they are not in the averages", () => {
    show(fixture("host_bound"), { step: "13" });
    expect(text(".step-notes")).toContain("Not in the averages: torch.compile compiled again in it");
  });

  it("of several devices are shown for the one chosen", () => {
    const report = fixture("host_bound");
    show(report, { device: "1" });
    const base = report.steps.at(-1)!.gpu![1]!.period_us! / 1000;
    expect(text(".step-table")).toContain(`GPU, since the last step’s work${base.toFixed(1)} ms`);
    expect(root.querySelector<HTMLSelectElement>(".steps select")!.value).toBe("1");
  });

  it("that the file does not have are asked for with the lines that make them", () => {
    show(fixture("no_steps"));
    expect(text(".no-steps")).toContain("prof.step()");
    expect(text(".step-name")).toContain("Whole recording");
  });
});

describe("findings", () => {
  it("open from “First” and from a false alarm", () => {
    const go = show(fixture("gpu_bound"));
    click(".action .link");
    expect(go).toHaveBeenLastCalledWith({ finding: "tensor-cores" });
    click("button.pill");
    expect(go).toHaveBeenLastCalledWith({ finding: "closing-wait" });
  });

  it("show explanation, advice, background and evidence when open", () => {
    show(fixture("gpu_bound"), { finding: "tensor-cores" });
    expect(text(".finding.open .finding-body")).toContain("What to do");
    expect(text(".finding.open pre")).toContain("set_float32_matmul_precision");
    expect(root.querySelector(".finding.open a")?.getAttribute("rel")).toBe("noopener noreferrer");
    expect(root.querySelectorAll(".finding.open .mini .box").length).toBeGreaterThan(5);
    expect(root.querySelectorAll(".finding.open .data tbody tr")).toHaveLength(8);
    click(".finding.open .data .link");
    expect(root.querySelectorAll(".finding.open .data tbody tr")).toHaveLength(9);
    expect(text(".finding.open .data tbody tr")).toContain("4.40 ms");
  });

  it("close again", () => {
    const go = show(fixture("gpu_bound"), { finding: "tensor-cores" });
    click(".finding.open .finding-head");
    expect(go).toHaveBeenLastCalledWith({ finding: null });
  });

  it("link nowhere but to web pages", () => {
    show(fixture("hostile"), { finding: "x@0" });
    expect(root.querySelectorAll(".finding.open a")).toHaveLength(0);
  });
});

it("shows text out of a trace as text", () => {
  const report = fixture("hostile");
  show(report, { finding: "x@0" });
  expect(text("h1")).toContain("<script>alert(2)</script>");
  expect(root.querySelectorAll("h1 *")).toHaveLength(0);
  for (const name of root.querySelectorAll(".evidence bdi")) expect(name.children).toHaveLength(0);
});

describe("words", () => {
  it("of tiles and rows have their meaning at hand, by keys too", () => {
    show(fixture("host_bound"));
    const terms = [...root.querySelectorAll<HTMLElement>(".tile .term, .step-table .term")];
    expect(terms.length).toBeGreaterThan(12);
    for (const term of terms) expect(term.title).toBe(term.getAttribute("aria-description"));
    const rows = [...root.querySelectorAll<HTMLElement>(".step-table .term")];
    expect(rows.filter((row) => row.tabIndex === 0)).toHaveLength(1);
    rows[0]!.focus();
    rows[0]!.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
    expect(document.activeElement).toBe(rows[1]);
  });

  it("in running text are explained, and in headings and buttons left alone", () => {
    const report = fixture("gpu_bound");
    show({
      ...report,
      headline: { ...report.headline, detail: "Two unsettled steps; the lane offset is even." },
    });
    const terms = [...root.querySelectorAll<HTMLElement>(".headline .prose .term")];
    expect(terms.map((term) => term.textContent)).toEqual(["unsettled"]);
    expect(root.querySelectorAll("h1 .term, button .term")).toHaveLength(0);
  });
});

it("folds away the questions that found nothing", () => {
  show(fixture("cpu_only"));
  expect(texts(".findings summary")).toEqual([
    "9 other questions were asked and found nothing to tell",
    "5 questions could not be answered from this trace",
  ]);
});

it("copies the lines that record a better trace", async () => {
  const writeText = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  const report = fixture("cpu_only");
  show(report);
  click(".rail .copy");
  expect(writeText).toHaveBeenCalledWith(report.trust.record_better);
  await vi.waitFor(() => expect(text(".rail .copy")).toBe("Copied"));
});

it("lists what limits trust, with what to do about it", () => {
  show(fixture("host_bound"));
  expect(text(".rail")).toContain("Missing rank. World size is 8, and one file is there. Save every rank.");
});

it("says when nothing was found", () => {
  show({ ...fixture("cpu_only"), rules: [] });
  expect(text(".findings")).toContain("No rule found anything");
});

describe("the sections", () => {
  const settle = (): Promise<void> =>
    vi.waitFor(
      async () => {
        await act(() => new Promise((done) => setTimeout(done, 20)));
        expect(root.querySelector(".section")).not.toBeNull();
      },
      { timeout: 10_000 },
    );

  it("come after the first paint, folded, and open to a table", async () => {
    show(fixture("eight_devices"));
    await settle();
    expect(texts(".section .title")).toContain("Kernels");
    expect(root.querySelectorAll(".section table")).toHaveLength(0);
    click("[aria-controls=section-kernels]");
    expect(root.querySelectorAll("#section-kernels table")).toHaveLength(1);
  });

  it("sort by a press on a head, and say by which", async () => {
    show(fixture("eight_devices"));
    await settle();
    click("[aria-controls=section-idle]");
    const head = "#section-idle th:nth-child(4)";
    click(`${head} button`);
    expect(root.querySelector(head)?.getAttribute("aria-sort")).toBe("descending");
    const figures = texts("#section-idle tbody td:nth-child(4)").map(Number);
    expect(figures).toEqual([...figures].sort((a, b) => b - a));
    click(`${head} button`);
    expect(root.querySelector(head)?.getAttribute("aria-sort")).toBe("ascending");
  });

  it("show ten rows, then all", async () => {
    show(fixture("eight_devices"));
    await settle();
    click("[aria-controls=section-idle]");
    expect(root.querySelectorAll("#section-idle tbody tr")).toHaveLength(10);
    click("#section-idle .more");
    expect(root.querySelectorAll("#section-idle tbody tr").length).toBeGreaterThan(10);
  });
});
