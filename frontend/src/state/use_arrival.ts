import { useRef, useState } from "preact/hooks";
import type { RunsAnswer, TraceFile } from "../api/answers";
import { arrival, newest, type Arrival, type Seen } from "../model/files";

function see(answer: RunsAnswer, shown: TraceFile): Seen {
  return { shown, newest: newest(answer)?.file ?? shown };
}

/** What arrived since the reader came to the file shown, and how to say “seen”. */
export function useArrival(answer: RunsAnswer, shown: TraceFile | null): [Arrival, () => void] {
  const seen = useRef<Seen | null>(null);
  const [, redraw] = useState(0);
  if (shown && seen.current?.shown.id !== shown.id) seen.current = see(answer, shown);
  const dismiss = (): void => {
    if (shown) seen.current = see(answer, shown);
    redraw((times) => times + 1);
  };
  return [seen.current ? arrival(answer, seen.current) : null, dismiss];
}
