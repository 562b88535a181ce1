// The questions that a trace raises, answered with what its report says. No figure is worked out here.

import type { Cannot, Report, Verdict } from "../api/types";
import { listFindings, type Listed } from "./findings";
import { gpuSteps, isUnnumbered, offsetSteps, whoseText } from "./figures";
import { WAITING_COSTS } from "./glossary";
import { count, join, percentFigure, plural, time } from "./format";
import { gpuParts } from "./parts";
import { BY_RULE } from "./raised_questions";
import { defaultStep, gpuSide, stepKeys, stepName } from "./steps";

/** What “show me” opens on the Overview. */
export type Shown = { finding: string } | { step: string } | null;

export interface Question {
  id: string;
  question: string;
  verdict: Verdict;
  /** Paragraphs. */
  answer: readonly string[];
  /** Label and figure. */
  figures: readonly (readonly [string, string])[];
  advice: string;
  show: Shown;
}

interface Context {
  report: Report;
  listed: readonly Listed[];
}

type Draft = Partial<Omit<Question, "id" | "question">> & Pick<Question, "question">;

function entryOf({ listed }: Context, rule: string): Listed | null {
  return listed.find((entry) => entry.finding.rule === rule) ?? null;
}

/** A question that one finding answers. */
function byFinding(entry: Listed, question: string, figures: Question["figures"] = []): Draft {
  const { verdict, text, advice } = entry.finding;
  return { question, verdict, answer: [text], advice, figures, show: { finding: entry.key } };
}

function quiet({ report }: Context, rule: string): boolean {
  return report.rules.some((outcome) => outcome.rule === rule && outcome.outcome === "quiet");
}

function shownStep({ report }: Context): Shown {
  const key = stepKeys(report.steps)[defaultStep(report)];
  return key === undefined ? null : { step: key };
}

function bound(context: Context): Draft {
  const { headline } = context.report;
  const first = headline.first === null ? null : entryOf(context, headline.first.rule ?? "");
  const open = headline.verdict === "undecided" || headline.verdict === "not_measured";
  return {
    question: open ? "What does this trace show?" : "What sets the pace of this run?",
    // What might be done is another question than whether this is known.
    verdict: open ? "undecided" : first?.finding.verdict === "fix" ? "fix" : "expected",
    answer: [headline.text, headline.detail],
    advice: headline.first?.text ?? "",
    show: first === null ? shownStep(context) : { finding: first.key },
  };
}

// From here on a step's rectangle is so much shorter than its pace that readers ask why.
const SHORT_RECTANGLE = 0.8;

function rectangle(context: Context): Draft | null {
  const { pace_us, summary } = context.report;
  const { duration_us, gpu_busy_us } = summary;
  if (pace_us === null || duration_us === null || duration_us > SHORT_RECTANGLE * pace_us) return null;
  return {
    question: `Why is a step’s rectangle ${time(duration_us)} when a step takes ${time(pace_us)}?`,
    answer: [
      "The rectangle is the CPU’s part: it ends when the CPU has handed out the work of the step, not when the GPU has done it. The pace also counts what the GPU needs.",
    ],
    figures: [
      [`CPU span, ${whoseText(context.report)}`, time(duration_us)],
      ...(gpu_busy_us === null
        ? []
        : [
            [
              `GPU busy, ${whoseText(context.report, gpuSteps(context.report).steps)}`,
              time(gpu_busy_us),
            ] as const,
          ]),
      ["Pace of a step", time(pace_us)],
    ],
    show: shownStep(context),
  };
}

function firstStep(context: Context): Draft | null {
  const entry = entryOf(context, "unsettled-steps") ?? entryOf(context, "long-cold-start");
  if (entry === null) return null;
  const { step } = entry.finding;
  return byFinding(
    entry,
    step === null ? "Why are the first steps slow?" : `Why does step ${step} differ from the others?`,
  );
}

function firstLaunch(context: Context): Draft | null {
  const entry = entryOf(context, "first-launch");
  return entry && byFinding(entry, "Why are some first launches so long?");
}

function closing(context: Context): Draft | null {
  const entry = entryOf(context, "closing-wait");
  const wait = context.report.closing_wait;
  if (entry === null || wait === null) return null;
  const name = wait.name.length > 60 ? "wait" : wait.name;
  return byFinding(entry, `Why is there a ${name} of ${time(wait.total_us)} at the end?`, [
    ["the GPU still working", time(wait.gpu_busy_us)],
    ["the GPU idle", time(wait.gpu_idle_us)],
  ]);
}

function lane(context: Context): Draft | null {
  const entry = entryOf(context, "run-ahead") ?? entryOf(context, "profiler-buffer");
  const offset = context.report.summary.first_us;
  if (entry !== null) {
    const { looks_like_us, step } = entry.finding;
    const by = looks_like_us ? ` by ${time(looks_like_us)}` : "";
    const where = step === null ? "" : ` in step ${step}`;
    return byFinding(entry, `Why does the GPU lane trail the CPU lane${by}${where}?`);
  }
  if (offset === null) return null;
  return {
    question: "How far does the GPU lane trail the CPU lane?",
    answer: [
      `${isUnnumbered(context.report) ? "The" : "A step’s"} first kernel starts ${time(offset)} after its launch call (${whoseText(context.report, offsetSteps(context.report))}). A launch only puts work into the GPU’s queue: the kernel starts once what stands before it is done. The longer the queue, the further the lanes are apart.`,
    ],
    show: shownStep(context),
  };
}

const IDLE_RULES = ["host-bound", "input-idle", "one-long-gap", "unexplained-idle", "many-small-gaps"];

function idleFigures(context: Context): [string, string][] {
  const { report } = context;
  const step = report.steps[defaultStep(report)];
  const side = step && gpuSide(step, report.summary.device);
  if (!step || side?.state !== "measured") return [];
  const causes = gpuParts(side.part).filter((part) => part.label.startsWith("Idle") && part.us > 0);
  return causes.map((part) => [`${stepName(step)}: ${part.label}`, time(part.us)]);
}

/** From when to when a device window is. */
function windowText(report: Report, periodKnown: boolean): string {
  if (isUnnumbered(report)) return "From the first to the last GPU event";
  // A first window opens with the step: of earlier work nothing is known.
  if (!periodKnown) return "From the step’s start to the end of its work on the GPU";
  return "From the end of earlier steps’ work to the end of a step’s own";
}

function idle(context: Context): Draft | null {
  const { gpu_busy_share, gpu_idle_us } = context.report.summary;
  if (gpu_idle_us === null) return null;
  const entry = IDLE_RULES.map((rule) => entryOf(context, rule)).find((found) => found !== null);
  const { steps, periodKnown } = gpuSteps(context.report);
  // Of several steps the time is a median, the share one of their sum.
  const base = steps.length > 1 ? "its windows" : "that time";
  const share =
    gpu_busy_share === null ? "" : ` It is busy for ${join(percentFigure(gpu_busy_share))} of ${base}.`;
  return {
    question: "Is the GPU idle, and who keeps it waiting?",
    verdict: entry?.finding.verdict ?? "expected",
    answer: [
      `${windowText(context.report, periodKnown)}, the GPU runs nothing for ${time(gpu_idle_us)} (${whoseText(context.report, steps)}).${share}`,
      ...(entry ? [entry.finding.text] : []),
    ],
    figures: idleFigures(context),
    advice: entry?.finding.advice ?? "",
    show: entry ? { finding: entry.key } : shownStep(context),
  };
}

function waits(context: Context): Draft | null {
  const { sync_us, bubble_us } = context.report.summary;
  const entry = entryOf(context, "waits-in-steps") ?? entryOf(context, "implicit-waits");
  if (sync_us === null) return null;
  const figures: [string, string][] = [["in calls that wait, a step", time(sync_us)]];
  if (bubble_us !== null) figures.push(["can be won back, at most", time(bubble_us)]);
  if (entry !== null) return byFinding(entry, "What do the waits for the GPU cost?", figures);
  return {
    question: "Do the steps wait for the GPU, and what does it cost?",
    answer: [
      sync_us === 0
        ? "No call in a step waits for the GPU: the CPU goes on handing out work."
        : `The calls below wait. ${WAITING_COSTS}`,
    ],
    figures,
    show: shownStep(context),
  };
}

const MOST_KERNELS = 5;

function kernels(context: Context): Draft | null {
  const table = context.report.kernels;
  if (table === null || table.rows.length === 0) return null;
  const entry = entryOf(context, "single-kernel-dominates");
  return {
    question: "Which kernels take the time?",
    verdict: entry?.finding.verdict ?? "expected",
    answer: [
      `The averaged steps ran ${plural(table.names, "kernel")} of different names, ${count(table.count)} times in all. These took the most; the share is of all kernels, copies and memsets.`,
      ...(entry ? [entry.finding.text] : []),
    ],
    figures: table.rows.slice(0, MOST_KERNELS).map((row) => {
      const share = row.share === null ? "" : ` (${join(percentFigure(row.share))})`;
      return [row.name, `${time(row.time_us)}${share}`] as const;
    }),
    advice: entry?.finding.advice ?? "",
    show: entry ? { finding: entry.key } : shownStep(context),
  };
}

function tensorCores(context: Context): Draft | null {
  const entry = entryOf(context, "matmul-without-tensor-cores");
  const question = "Do the matrix multiplications use tensor cores?";
  if (entry !== null) return byFinding(entry, question);
  if (context.report.kernels === null || !quiet(context, "matmul-without-tensor-cores")) return null;
  return {
    question,
    answer: [
      "No kernel that multiplies matrices without them took enough time to matter. What each kernel is stands in the list beside.",
    ],
  };
}

function copies(context: Context): Draft | null {
  const table = context.report.copies;
  if (table === null) return null;
  const question = "Did anything run while data was copied?";
  const { count: number, time_us, exposed_us } = table.copies;
  if (number === 0) {
    return {
      question,
      answer: [`There was nothing to hide: the averaged steps (${table.steps}) copied nothing.`],
    };
  }
  const entry = entryOf(context, "copies-not-overlapped") ?? entryOf(context, "exposed-input-copies");
  const figures: Question["figures"] = [
    [`${plural(number, "copy").replace("copys", "copies")} in ${plural(table.steps, "step")}`, time(time_us)],
    ["of it, nothing else ran on the GPU", time(exposed_us)],
  ];
  if (entry !== null) return byFinding(entry, question, figures);
  const hidden =
    exposed_us === 0 ? "All of it: kernels ran meanwhile." : "The second figure is what nothing hid.";
  return { question, answer: [hidden], figures, show: shownStep(context) };
}

function untold(cannot: readonly Cannot[]): Draft | null {
  if (cannot.length === 0) return null;
  return {
    question: "What can this trace not tell?",
    verdict: "undecided",
    answer: cannot.map(({ title, text, record }) => {
      const next = record === null ? "" : ` To know it, record with \`${record}\`.`;
      return `${title.replace(/\.$/, "")}: ${text}${next}`;
    }),
  };
}

function raised(context: Context): Draft[] {
  return Object.entries(BY_RULE).flatMap(([rule, question]) => {
    const entry = entryOf(context, rule);
    return entry === null ? [] : [byFinding(entry, question)];
  });
}

/** In the order in which a reader would ask. */
export function questions(report: Report): Question[] {
  const context: Context = { report, listed: listFindings(report) };
  const asked = [
    bound,
    rectangle,
    firstStep,
    firstLaunch,
    lane,
    closing,
    idle,
    waits,
    kernels,
    tensorCores,
    copies,
  ];
  const drafts = [...asked.map((ask) => ask(context)), ...raised(context), untold(report.trust.cannot)];
  const seen = new Set<string>();
  return drafts
    .filter((draft) => draft !== null)
    .filter(({ question }) => !seen.has(question) && seen.add(question))
    .map((draft, index) => ({
      id: `${index}`,
      verdict: "expected",
      answer: [],
      figures: [],
      advice: "",
      show: null,
      ...draft,
    }));
}

/** The question that a finding answers, so that what is open stays open from screen to screen. */
export function questionOf(asked: readonly Question[], finding: string | null): string | null {
  const found = asked.find(({ show }) => show !== null && "finding" in show && show.finding === finding);
  return found?.id ?? null;
}
