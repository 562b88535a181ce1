import { useCallback, useEffect, useState } from "preact/hooks";
import { fetchRuns } from "../api/client";
import type { RunsAnswer } from "../api/answers";

const PERIOD_MS = 5000;
/** Until the first scan has ended, which takes a moment. */
const FIRST_PERIOD_MS = 400;

export interface RunsState {
  answer: RunsAnswer | null;
  /** The server's clock at the last answer, ms since 1970. */
  served_ms: number;
  /** Why the last question had no answer. The answer before it stays. */
  problem: string | null;
  retry: () => void;
}

/** The list of files, asked for every five seconds while the page can be seen. */
export function useRuns(visible: boolean): RunsState {
  const [state, setState] = useState<Omit<RunsState, "retry">>({ answer: null, served_ms: 0, problem: null });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (!visible) return undefined;
    let timer: number | undefined;
    let live = true;
    const ask = async (): Promise<void> => {
      let period = PERIOD_MS;
      try {
        const { body, served_ms } = await fetchRuns();
        if (!body.scanned) period = FIRST_PERIOD_MS;
        if (live) setState({ answer: body, served_ms, problem: null });
      } catch (error) {
        if (live) setState((old) => ({ ...old, problem: (error as Error).message }));
      }
      if (live) timer = window.setTimeout(ask, period);
    };
    void ask();
    return () => {
      live = false;
      window.clearTimeout(timer);
    };
  }, [visible, attempt]);
  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  return { ...state, retry };
}
