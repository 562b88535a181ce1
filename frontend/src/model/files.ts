// Which file the page shows, out of the list that the server gives.

import type { Run, RunsAnswer, TraceFile } from "../api/answers";

/** What the address asks for; null: not said. */
export interface Wanted {
  run: string | null;
  worker: string | null;
  file: string | null;
}

export interface Picked {
  run: Run;
  worker: string | null;
  file: TraceFile;
}

/** The address names a run, worker or file that is not there (any more); `instead` is the nearest. */
export interface Gone {
  state: "gone";
  what: "run" | "worker" | "file";
  name: string;
  instead: Picked;
}

export type Choice = { state: "empty" } | { state: "picked"; picked: Picked } | Gone;

function pickedFile(run: Run, file: TraceFile): Picked {
  return { run, file, worker: file.worker };
}

function firstOf(run: Run | undefined, worker: string | null): Picked | null {
  if (run === undefined) return null;
  const file = run.files.find((entry) => entry.worker === worker) ?? run.files[0];
  return file ? pickedFile(run, file) : null;
}

/** The newest file of all: the first of the first run that has one. */
export function newest(answer: RunsAnswer): Picked | null {
  return firstOf(
    answer.runs.find((run) => run.files.length > 0),
    null,
  );
}

/** The file of an id, where it is (still) there. */
export function byId(answer: RunsAnswer, id: string): Picked | null {
  for (const run of answer.runs) {
    const file = run.files.find((entry) => entry.id === id);
    if (file) return pickedFile(run, file);
  }
  return null;
}

/** The file asked for by id; else the newest one of the run and worker asked for; else the newest. */
export function choose(answer: RunsAnswer, wanted: Wanted): Choice {
  const fallback = newest(answer);
  if (fallback === null) return { state: "empty" };
  const run = answer.runs.find((entry) => entry.name === wanted.run);
  const picked = wanted.file === null ? null : byId(answer, wanted.file);
  const instead = nearest(run, wanted.worker, picked) ?? fallback;
  const what = missing(wanted, run, instead);
  return what ? { state: "gone", ...what, instead } : { state: "picked", picked: instead };
}

/** The file asked for, if the run and worker asked for have it; else their newest. */
function nearest(run: Run | undefined, worker: string | null, file: Picked | null): Picked | null {
  const agrees = file !== null && (run === undefined || file.run === run);
  const elsewhere =
    worker !== null && worker !== file?.worker && run?.files.some((entry) => entry.worker === worker);
  return agrees && !elsewhere ? file : firstOf(run, worker);
}

/** The first of what was asked for that the file shown instead does not have. */
function missing(wanted: Wanted, run: Run | undefined, shown: Picked): Pick<Gone, "what" | "name"> | null {
  if (wanted.run !== null && run === undefined) return { what: "run", name: wanted.run };
  if (wanted.worker !== null && shown.worker !== wanted.worker)
    return { what: "worker", name: wanted.worker };
  if (wanted.file !== null && shown.file.id !== wanted.file) return { what: "file", name: wanted.file };
  return null;
}

/** What is shown in the place of something that is not there. Ids of files mean nothing to a reader. */
export function goneText({ what, name, instead }: Gone): string {
  const asked = { run: `Run ‘${name}’`, worker: `Worker ‘${name}’`, file: "The file of this address" }[what];
  const { file, run, worker } = instead;
  const shown = { run: run.name, worker: worker ?? file.file, file: file.file }[what];
  return `${asked} is not there (any more); showing ‘${shown}’.`;
}

/** The workers of a run, each once, in the order of its files. */
export function workers(run: Run): (string | null)[] {
  return [...new Set(run.files.map((file) => file.worker))];
}

export function filesOf(run: Run, worker: string | null): TraceFile[] {
  return run.files.filter((file) => file.worker === worker);
}

export function latest(answer: RunsAnswer): TraceFile | null {
  const files = answer.runs.flatMap((run) => run.files);
  return files.reduce<TraceFile | null>(
    (best, file) => (best && best.modified_s >= file.modified_s ? best : file),
    null,
  );
}

/** A file that arrived, or was written again, after the page began to show another state. */
export type Arrival = { kind: "newer"; picked: Picked } | { kind: "rewritten" } | { kind: "vanished" } | null;

/** What the reader knows: the file shown, as it was read, and the newest file when they came to it. */
export interface Seen {
  shown: TraceFile;
  newest: TraceFile;
}

export function arrival(answer: RunsAnswer, seen: Seen): Arrival {
  const current = byId(answer, seen.shown.id);
  if (current === null) return { kind: "vanished" };
  const fresh = newest(answer);
  const isNew = fresh && fresh.file.id !== seen.newest.id && fresh.file.modified_s > seen.newest.modified_s;
  if (isNew && fresh.file.id !== seen.shown.id) return { kind: "newer", picked: fresh };
  return current.file.modified_s !== seen.shown.modified_s ? { kind: "rewritten" } : null;
}
