import { useRef, useState } from "preact/hooks";
import type { RunsAnswer, TraceFile } from "../api/answers";
import { arrival, latest, type Arrival } from "../model/files";

interface Seen {
  id: string;
  /** Time of the newest file when the reader came to this one. */
  known_s: number;
  /** Time of this file when it was read. */
  read_s: number;
}

/** What arrived since the reader came to the file shown, and how to say “seen”. */
export function useArrival(answer: RunsAnswer | null, shown: TraceFile | null): [Arrival, () => void] {
  const seen = useRef<Seen | null>(null);
  const [, redraw] = useState(0);
  if (answer && shown && seen.current?.id !== shown.id) {
    seen.current = { id: shown.id, known_s: latest(answer)?.modified_s ?? 0, read_s: shown.modified_s };
  }
  const current = seen.current;
  const dismiss = (): void => {
    if (!answer || !current) return;
    const file = shown ?? null;
    seen.current = {
      ...current,
      known_s: latest(answer)?.modified_s ?? 0,
      read_s: file?.modified_s ?? current.read_s,
    };
    redraw((times) => times + 1);
  };
  return [answer && current ? arrival(answer, current.id, current.known_s, current.read_s) : null, dismiss];
}
