import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { NoSuchFile, type Fetched } from "../api/client";

const FIRST_DELAY_MS = 400;
const LAST_DELAY_MS = 2000;
const GROWTH = 1.4;

/** An answer that may take the server a while. */
interface Stated {
  state: string;
}

/** Asks one question; null where the answer is still the one that `etag` names. */
export type Ask<T> = (question: string, etag: string | null) => Promise<Fetched<T> | null>;

export interface Asked<T> {
  /** Of the question asked, never of another one. */
  answer: T | null;
  problem: string | null;
  gone: boolean;
  /** Asks again, for a file that was written anew or after an error. */
  reload: () => void;
}

type Known<T> = Map<string, Fetched<T>>;
type Told<T> = Omit<Asked<T>, "reload"> & { question: string | null };

function isFinal(answer: Stated): boolean {
  return answer.state === "ready" || answer.state === "error";
}

async function askOnce<T extends Stated>(question: string, ask: Ask<T>, known: Known<T>): Promise<Told<T>> {
  const before = known.get(question);
  try {
    const etag = before?.body.state === "ready" ? before.etag : null;
    const fetched = (await ask(question, etag)) ?? before;
    if (fetched && isFinal(fetched.body)) known.set(question, fetched);
    return { question, answer: fetched?.body ?? null, problem: null, gone: false };
  } catch (error) {
    const gone = error instanceof NoSuchFile;
    const problem = gone ? null : (error as Error).message;
    return { question, answer: before?.body ?? null, problem, gone };
  }
}

/** Asks until the answer is final; a question without an answer is asked again. Returns how to stop. */
function follow<T extends Stated>(
  question: string,
  ask: Ask<T>,
  known: Known<T>,
  tell: (told: Told<T>) => void,
): () => void {
  let live = true;
  let timer: number | undefined;
  const next = async (delay: number): Promise<void> => {
    const told = await askOnce(question, ask, known);
    if (!live) return;
    tell(told);
    const done = told.gone || (told.problem === null && told.answer !== null && isFinal(told.answer));
    if (!done) timer = window.setTimeout(() => void next(Math.min(delay * GROWTH, LAST_DELAY_MS)), delay);
  };
  void next(FIRST_DELAY_MS);
  return () => {
    live = false;
    window.clearTimeout(timer);
  };
}

/** The answer to a question. Asking starts the work; answers already known are shown at once. */
export function useAsked<T extends Stated>(question: string | null, ask: Ask<T>, visible: boolean): Asked<T> {
  const known = useRef<Known<T>>(new Map());
  const [told, setTold] = useState<Told<T> | null>(null);
  const [attempt, setAttempt] = useState(0);
  const answered = useRef("");
  useEffect(() => {
    const wanted = `${attempt} ${question}`;
    // A question that was put aside is asked anew when it comes back, whatever became of it before.
    if (question === null) {
      answered.current = "";
      setTold(null);
    }
    // Coming back into view is no reason to replace an answer that is being read.
    if (question === null || !visible || answered.current === wanted) return undefined;
    return follow(question, ask, known.current, (next) => {
      if (next.answer && isFinal(next.answer) && next.problem === null) answered.current = wanted;
      setTold(next);
    });
  }, [question, ask, visible, attempt]);
  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  const before = question === null ? undefined : known.current.get(question);
  if (told?.question === question && told !== null) {
    return { answer: told.answer, problem: told.problem, gone: told.gone, reload };
  }
  return { answer: before?.body ?? null, problem: null, gone: false, reload };
}
