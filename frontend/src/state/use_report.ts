import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { ReportAnswer } from "../api/answers";
import { fetchReport, NoSuchFile, type Fetched } from "../api/client";

const FIRST_DELAY_MS = 400;
const LAST_DELAY_MS = 2000;
const GROWTH = 1.4;

export interface ReportState {
  /** Of the file asked for, never of another one. */
  answer: ReportAnswer | null;
  problem: string | null;
  gone: boolean;
  /** Asks again, for a file that was written anew or after an error. */
  reload: () => void;
}

type Known = Map<string, Fetched<ReportAnswer>>;
type Told = Omit<ReportState, "reload"> & { id: string | null };

const NOTHING: Told = { id: null, answer: null, problem: null, gone: false };

function isFinal(answer: ReportAnswer): boolean {
  return answer.state === "ready" || answer.state === "error";
}

async function askOnce(id: string, known: Known): Promise<Told> {
  const before = known.get(id);
  try {
    const etag = before?.body.state === "ready" ? before.etag : null;
    const fetched = (await fetchReport(id, etag)) ?? before;
    if (fetched && isFinal(fetched.body)) known.set(id, fetched);
    return { id, answer: fetched?.body ?? null, problem: null, gone: false };
  } catch (error) {
    const gone = error instanceof NoSuchFile;
    return { id, answer: before?.body ?? null, problem: gone ? null : (error as Error).message, gone };
  }
}

/** Asks until the answer is final; a question without an answer is asked again. Returns how to stop. */
function follow(id: string, known: Known, tell: (told: Told) => void): () => void {
  let live = true;
  let timer: number | undefined;
  const ask = async (delay: number): Promise<void> => {
    const told = await askOnce(id, known);
    if (!live) return;
    tell(told);
    const done = told.gone || (told.problem === null && told.answer !== null && isFinal(told.answer));
    if (!done) timer = window.setTimeout(() => void ask(Math.min(delay * GROWTH, LAST_DELAY_MS)), delay);
  };
  void ask(FIRST_DELAY_MS);
  return () => {
    live = false;
    window.clearTimeout(timer);
  };
}

/** The report of a file. Asking starts its analysis; reports already read are shown at once. */
export function useReport(id: string | null, visible: boolean): ReportState {
  const known = useRef<Known>(new Map());
  const [told, setTold] = useState<Told>(NOTHING);
  const [attempt, setAttempt] = useState(0);
  const answered = useRef("");
  useEffect(() => {
    const question = `${attempt} ${id}`;
    // Coming back into view is no reason to replace a report that is being read.
    if (id === null || !visible || answered.current === question) return undefined;
    return follow(id, known.current, (next) => {
      if (next.answer && isFinal(next.answer) && next.problem === null) answered.current = question;
      setTold(next);
    });
  }, [id, visible, attempt]);
  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  const before = id === null ? undefined : known.current.get(id);
  const shown = told.id === id ? told : { ...NOTHING, answer: before?.body ?? null };
  return { answer: shown.answer, problem: shown.problem, gone: shown.gone, reload };
}
