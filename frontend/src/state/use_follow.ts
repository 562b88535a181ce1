import { useCallback, useEffect, useState } from "preact/hooks";
import type { RunsAnswer } from "../api/answers";
import { newest, type Picked } from "../model/files";

export interface Follow {
  /** Whether the page goes to every newer file by itself, because the reader wants it to. */
  on: boolean;
  toggle: () => void;
  stop: () => void;
}

/** Follows the newest file while it is wanted; `show` goes to a file. */
export function useFollow(
  answer: RunsAnswer | null,
  shown: Picked | null,
  show: (next: Picked) => void,
): Follow {
  const [on, setOn] = useState(false);
  const fresh = answer === null ? null : newest(answer);
  useEffect(() => {
    if (on && fresh !== null && fresh.file.id !== shown?.file.id) show(fresh);
  }, [on, fresh?.file.id]);
  const toggle = useCallback(() => setOn((before) => !before), []);
  const stop = useCallback(() => setOn(false), []);
  return { on, toggle, stop };
}
