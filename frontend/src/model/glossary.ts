// What the page's words mean, one sentence each; docs/definitions.md says it in full.

import type { Fill } from "./parts";

export type Word = "pace" | "settled" | "lane offset" | "refill bubble" | "exposed" | "artefact";

/** In the order of the help. */
export const WORDS: Readonly<Record<Word, string>> = {
  pace: "What one step costs in the long run: the longer of what it takes the CPU and what it takes the GPU.",
  settled:
    "A step like the steady state of the run: nothing compiled, loaded or cut off, its time and GPU work like the others’.",
  "lane offset":
    "How long after its launch call the first kernel of a step starts; a full queue makes it long, and that is healthy.",
  "refill bubble":
    "Idle time of a GPU that ran dry while the CPU waited for it, until new work arrives; never longer than the wait.",
  exposed:
    "Communication or copies during which nothing else of the step ran on the GPU, so that nothing hides them.",
  artefact: "Made by the profiler or by asynchronous execution: it looks like lost time and is none.",
};

const FORMS: Readonly<Record<string, Word>> = { unsettled: "settled", artifact: "artefact" };

/** Finds the first of our words in a text; in the group, the word without its plural. */
export const WORD_PATTERN =
  /(?<![\w-])(pace|(?:un)?settled|lane offset|refill bubble|exposed|artefact|artifact)s?(?![\w-])/iu;

/** The word that a form in a text stands for. */
export function wordOf(form: string): Word | null {
  const lower = form.toLowerCase();
  const word = FORMS[lower] ?? lower;
  return word in WORDS ? (word as Word) : null;
}

/** The tiles, by what their figure is. */
export const TILES = {
  pace: "What one step costs in the long run: the median, over the averaged steps, of the longest of its CPU period and its GPU periods.",
  span: "The CPU span of the step, from start to end of its ProfilerStep annotation.",
  recorded: "From the first start to the last end of all that was recorded.",
  share:
    "The share of the device’s windows in which it ran something; work of other steps and processes counts.",
  busy: "How long the GPU ran work of the step, over all its streams.",
  sync: "The refill bubbles of a step: what could be won back, at most, by not waiting for the GPU; the waits themselves are not lost.",
  offset: WORDS["lane offset"],
} as const;

const WAITING = "Calls that wait for the GPU";

/** The rows of the CPU side, and what the CPU did while the GPU was idle. */
export const CPU_ROWS: Readonly<Partial<Record<Fill, string>>> = {
  python: "Python, and all else that no other row names.",
  dispatch: "Inside PyTorch’s operators, outside of the calls that have rows of their own.",
  optimizer: "Inside the optimizer’s step: its operators count, its launches and waits do not.",
  compile: "What compiled code does before it runs: looking up the code that fits, and preparing its inputs.",
  launch: "Runtime and driver calls that neither wait nor allocate nor load: mostly launches of kernels.",
  allocator: "Calls to the driver that allocate, free or pin memory; they can make the CPU wait for the GPU.",
  loading: "Calls that load code onto the GPU, as before a kernel’s first run.",
  input: "In the data loader, for the next batch.",
  "wait-idle": `${WAITING}, while no GPU work of this process ran.`,
  "wait-busy": `${WAITING}, while it works: useful waiting.`,
  plain: "All of it: without steps, no thread is known whose time could be split.",
};

/** What waiting costs. */
export const WAITING_COSTS =
  "Waiting while the GPU works is no loss by itself; lost is the time in which the GPU then has nothing to do.";

/** What the launching thread waited for while the GPU was idle. */
export const HOST_WAIT = `${WAITING}, though it had nothing left to run.`;

export const GPU_ROWS: Readonly<Partial<Record<Fill, string>>> = {
  compute: "The step’s own work on the GPU, less communication and copies that nothing hides.",
  communication:
    "Communication while nothing else of the step ran on the GPU; it includes waiting for the other ranks.",
  copy: "Copies while nothing else of the step ran on the GPU.",
  bubble: WORDS["refill bubble"],
  host: "The GPU had nothing to run, as the CPU had not launched what came next; below, what the CPU did.",
  input: "The GPU had nothing to run, while the launching thread was in the data loader.",
  queued: "The next work was launched and had not started yet; such gaps are at most 100 µs long.",
  dependency:
    "The next work was launched, and what ended before it was on another stream: it may have waited for that.",
  profiler: "The profiler itself worked meanwhile, which costs the run nothing without it.",
  unknown:
    "Nothing recorded tells why: events are missing, or something outside of this file held the GPU up.",
  other: "Only work of other steps or processes ran meanwhile.",
};

/** The wholes that the rows are parts of. */
export const WHOLES = {
  step: TILES.span,
  recording: TILES.recorded,
  window: "The device window: from the end of earlier steps’ last work on the GPU to the end of this step’s.",
  device: "From the start of the first recorded work on the GPU to the end of the last.",
} as const;
