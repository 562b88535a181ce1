// What a trace contains, by name: kinds to choose from, and the search.

import type { NameEntry, NamesAnswer, NameVerdict } from "../api/answers";
import type { Verdict } from "../api/types";

export interface NameKind {
  id: string;
  label: string;
  /** Names a fill in styles/fills.css. */
  fill: string;
}

const OTHER: NameKind = { id: "other", label: "Other", fill: "other" };

const KINDS: Readonly<Record<string, NameKind>> = {
  kernel: { id: "gpu", label: "GPU work", fill: "compute" },
  memcpy: { id: "gpu", label: "GPU work", fill: "copy" },
  memset: { id: "gpu", label: "GPU work", fill: "copy" },
  runtime: { id: "calls", label: "Runtime calls", fill: "launch" },
  driver: { id: "calls", label: "Runtime calls", fill: "launch" },
  cpu_op: { id: "operators", label: "Operators", fill: "dispatch" },
  annotation: { id: "marks", label: "Marks", fill: "python" },
  gpu_annotation: { id: "marks", label: "Marks", fill: "python" },
  python: { id: "python", label: "Python", fill: "plain" },
  overhead: { id: "profiler", label: "Profiler", fill: "profiler" },
};

export function kindOf(entry: NameEntry): NameKind {
  return KINDS[entry.category] ?? OTHER;
}

/** The kinds that there are, with their number of names; GPU work first. */
export function kindOptions(
  entries: readonly NameEntry[],
): { value: string; label: string; number: number }[] {
  const order = [...new Set([...Object.values(KINDS).map((kind) => kind.id), OTHER.id])];
  return order.flatMap((id) => {
    const own = entries.filter((entry) => kindOf(entry).id === id);
    const [first] = own;
    return first === undefined ? [] : [{ value: id, label: kindOf(first).label, number: own.length }];
  });
}

/** Whether every word of the query stands in the name, its meaning or its explanation. */
function matches(entry: NameEntry, words: readonly string[]): boolean {
  const text = `${entry.name}\n${entry.human}\n${entry.what}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The names of a kind (empty: of all) that a query finds; frames, which contain all else, stand last. */
export function search(entries: readonly NameEntry[], kind: string, query: string): NameEntry[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found = entries.filter(
    (entry) => (kind === "" || kindOf(entry).id === kind) && matches(entry, words),
  );
  const frame = (entry: NameEntry): boolean => entry.category === "python" || entry.verdict === "artefact";
  return [...found.filter((entry) => !frame(entry)), ...found.filter(frame)];
}

const VERDICTS: Readonly<Record<NameVerdict, Verdict | null>> = {
  expected: "expected",
  artefact: "artifact",
  avoidable: "fix",
  depends: null,
};

/** The chip for a name; null: whether it is a problem depends on what `problem` says. */
export function verdictOf(entry: NameEntry): Verdict | null {
  return VERDICTS[entry.verdict];
}

/** What kernels are called for people, by name; empty until the names are known. */
export function humanNames(answer: NamesAnswer | null): ReadonlyMap<string, string> {
  const entries = answer?.state === "ready" ? answer.names.entries : [];
  return new Map(
    entries.filter(({ category }) => category === "kernel").map(({ name, human }) => [name, human]),
  );
}
