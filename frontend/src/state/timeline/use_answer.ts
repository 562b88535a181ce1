import { useEffect, useState } from "preact/hooks";
import type { Queued, Working } from "../../api/answers";
import { NoSuchFile } from "../../api/client";
import { ask } from "../../api/timeline";

const FIRST_DELAY_MS = 200;
const LAST_DELAY_MS = 2000;
const GROWTH = 1.5;

type Pending = Queued | Working;

export interface Asked<T> {
  /** To the question that is asked now, never to an earlier one. */
  answer: T | null;
  /** Why there is no answer. */
  problem: string | null;
}

const NOTHING = { answer: null, problem: null };

function isPending(answer: { state: string }): answer is Pending {
  return answer.state === "queued" || answer.state === "working";
}

/** The answer of an address, asked again while it is pending; null asks nothing. */
export function useAnswer<T extends { state: string }>(address: string | null, attempt = 0): Asked<T> {
  const question = `${attempt} ${address}`;
  const [told, setTold] = useState<Asked<T> & { question: string }>({ ...NOTHING, question: "" });
  useEffect(() => {
    if (address === null) return undefined;
    const calledOff = new AbortController();
    let timer: number | undefined;
    const once = async (delay: number): Promise<void> => {
      try {
        const answer = await ask<T>(address, calledOff.signal);
        setTold({ answer, problem: null, question });
        if (isPending(answer))
          timer = window.setTimeout(() => void once(Math.min(delay * GROWTH, LAST_DELAY_MS)), delay);
      } catch (error) {
        if (calledOff.signal.aborted) return;
        const problem = error instanceof NoSuchFile ? "this is not in the file" : (error as Error).message;
        setTold({ answer: null, problem, question });
      }
    };
    void once(FIRST_DELAY_MS);
    return () => {
      calledOff.abort();
      window.clearTimeout(timer);
    };
  }, [question]);
  return told.question === question ? told : NOTHING;
}
