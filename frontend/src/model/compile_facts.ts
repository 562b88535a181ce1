// What torch.compile did in two runs, as rows of a table.

import type { CompileFacts, Comparison } from "../api/types";
import { count, plural, ranges, sentence, time } from "./format";

export interface FactRow {
  label: string;
  meaning: string;
  baseline: string;
  candidate: string;
  /** A part of the row above. */
  part: boolean;
}

export interface CompileTable {
  rows: readonly FactRow[];
  /** Why figures are missing, each reason once. */
  why: readonly string[];
}

const NONE = "–";
const MISSING = "not known";

type Tell = (facts: CompileFacts) => string | null;

const RECORDED: Readonly<Record<string, string>> = {
  regions: "A piece of the model that was compiled as one graph.",
  breaks: "A place that the compiler could not take into its graph: two regions instead of one.",
  recompiles: "Compiled again during the recording, though it ran before: mostly for other shapes.",
  tax: "CPU time of a step in torch.compile’s own machinery.",
  lookup: "Is there compiled code for these inputs?",
  compiling: "Time spent compiling in the whole recording.",
  even: "After how many steps the time saved is as long as the time spent compiling.",
};

function tax(part: "lookup_us" | "prologue_us" | "wrapper_us"): Tell {
  return (facts) => (facts.tax === null ? null : time(facts.tax[part]));
}

function recompiles(facts: CompileFacts): string {
  const steps = facts.recompiled_steps.filter((step) => step !== null);
  const where = steps.length === 0 ? "" : ` (step ${ranges(steps)})`;
  return count(facts.recompiles) + where;
}

const ROWS: readonly (readonly [string, string, Tell, boolean])[] = [
  ["Compiled regions", RECORDED["regions"] ?? "", (facts) => count(facts.regions.length), false],
  ["Graph breaks", RECORDED["breaks"] ?? "", (facts) => count(facts.graph_breaks), false],
  ["Recompiled", RECORDED["recompiles"] ?? "", recompiles, false],
  [
    "Compile tax a step",
    RECORDED["tax"] ?? "",
    (facts) => (facts.tax_us === null ? null : time(facts.tax_us)),
    false,
  ],
  ["cache lookup", RECORDED["lookup"] ?? "", tax("lookup_us"), true],
  ["prologue", "Preparing the inputs of compiled code.", tax("prologue_us"), true],
  ["wrappers", "The code around the compiled graph.", tax("wrapper_us"), true],
  [
    "Time spent compiling",
    RECORDED["compiling"] ?? "",
    (facts) => (facts.compile_us === null ? null : time(facts.compile_us)),
    false,
  ],
  [
    "Break-even",
    RECORDED["even"] ?? "",
    (facts) => (facts.break_even_steps === null ? null : plural(facts.break_even_steps, "step")),
    false,
  ],
];

function cell(facts: CompileFacts | null, tell: Tell): string {
  return facts === null ? NONE : (tell(facts) ?? MISSING);
}

function reasons(facts: readonly (CompileFacts | null)[]): string[] {
  const found = facts.flatMap((entry) => Object.values(entry?.not_measured ?? {}));
  return [...new Set(found)].map(sentence);
}

/** Null where neither run is compiled. */
export function compileTable({ baseline_compile, compile }: Comparison): CompileTable | null {
  if (baseline_compile === null && compile === null) return null;
  const rows = ROWS.map(([label, meaning, tell, part]) => ({
    label,
    meaning,
    baseline: cell(baseline_compile, tell),
    candidate: cell(compile, tell),
    part,
  }));
  return {
    rows: rows.filter((row) => !row.part || [row.baseline, row.candidate].some((text) => /\d/.test(text))),
    why: reasons([baseline_compile, compile]),
  };
}
