// Which two files are compared. The file on the page is one of them; the other is named by the address.

import type { RunsAnswer } from "../api/answers";
import type { SideName } from "../api/types";
import { byId, type Picked } from "./files";

export interface Sides {
  baseline: Picked;
  candidate: Picked;
  /** Which of the two is the file on the page. */
  page: SideName;
}

/** What the server knows the two by. */
export function idsOf({ baseline, candidate }: Sides): Record<SideName, string> {
  return { baseline: baseline.file.id, candidate: candidate.file.id };
}

/** Letters stand for the sides in tables and drawings: the baseline is A. */
export const LETTERS: Readonly<Record<SideName, string>> = { baseline: "A", candidate: "B" };

function opposite(side: SideName): SideName {
  return side === "baseline" ? "candidate" : "baseline";
}

/** The side of the other file, as the address says it. */
function otherSide(side: string | null): SideName {
  return side === "candidate" ? "candidate" : "baseline";
}

/** The value of the address's `side` once the sides are exchanged. */
export function exchanged(side: string | null): string | null {
  return otherSide(side) === "baseline" ? "candidate" : null;
}

export function pageSide(side: string | null): SideName {
  return opposite(otherSide(side));
}

/** The two files; null where no other one is chosen, or it is not there any more. */
export function sidesOf(
  answer: RunsAnswer,
  page: Picked,
  cmp: string | null,
  side: string | null,
): Sides | null {
  const other = cmp === null ? null : byId(answer, cmp);
  if (other === null) return null;
  return otherSide(side) === "baseline"
    ? { baseline: other, candidate: page, page: "candidate" }
    : { baseline: page, candidate: other, page: "baseline" };
}

function all(answer: RunsAnswer): Picked[] {
  return answer.runs.flatMap((run) => run.files.map((file) => ({ run, file, worker: file.worker })));
}

/**
 * The files that the one on the page can be compared with, likely ones first: of its worker in other runs, of
 * its worker in its run, all others. Itself is not among them.
 */
export function others(answer: RunsAnswer, page: Picked): Picked[] {
  const rank = (entry: Picked): number => {
    const sameWorker = entry.worker === page.worker;
    if (entry.run.name !== page.run.name) return sameWorker ? 0 : 2;
    return sameWorker ? 1 : 3;
  };
  return all(answer)
    .filter((entry) => entry.file.id !== page.file.id)
    .map((entry, index) => ({ entry, index }))
    .sort((a, b) => rank(a.entry) - rank(b.entry) || a.index - b.index)
    .map(({ entry }) => entry);
}

/** What a file is called in a list of one run's files: mostly its name begins with its worker. */
export function fileLabel({ file, worker }: Picked): string {
  return worker === null || file.file.startsWith(worker) ? file.file : `${worker}: ${file.file}`;
}
