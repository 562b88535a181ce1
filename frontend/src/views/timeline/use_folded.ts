import { useCallback, useState } from "preact/hooks";

/** Which lanes are folded, and how one is folded or opened. */
export function useFolded(first: () => ReadonlySet<number>): [ReadonlySet<number>, (lane: number) => void] {
  const [folded, setFolded] = useState(first);
  const fold = useCallback((lane: number): void => {
    setFolded((before) => {
      const next = new Set(before);
      if (!next.delete(lane)) next.add(lane);
      return next;
    });
  }, []);
  return [folded, fold];
}
