import { useLayoutEffect, useState } from "preact/hooks";
import { goneText, type Choice, type Picked } from "../model/files";

interface Told {
  file: string;
  text: string;
}

/**
 * Leads from something that is not there to what is shown instead. Gives the line that says so, until it is
 * dismissed or another file is chosen, and how to dismiss it. `choice`: null while it is not settled.
 */
export function useGone(
  choice: Choice | null,
  shown: Picked | null,
  onInstead: (picked: Picked) => void,
): [string | null, () => void] {
  const [told, setTold] = useState<Told | null>(null);
  const leads = choice?.state === "gone" && shown === null;
  useLayoutEffect(() => {
    if (choice?.state !== "gone" || shown !== null) return;
    setTold({ file: choice.instead.file.id, text: goneText(choice) });
    onInstead(choice.instead);
  }, [leads]);
  const left = told !== null && shown !== null && shown.file.id !== told.file;
  useLayoutEffect(() => {
    if (left) setTold(null);
  }, [left]);
  return [told !== null && !left ? told.text : null, () => setTold(null)];
}
