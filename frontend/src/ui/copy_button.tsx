import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { copyText } from "../state/clipboard";

const TOLD_MS = 2000;

/** A button that copies what `text` gives, and says whether it could. */
export function CopyButton({ label, text }: { label: string; text: () => string }): JSX.Element {
  const [told, setTold] = useState("");
  useEffect(() => {
    if (told === "") return undefined;
    const timer = window.setTimeout(() => setTold(""), TOLD_MS);
    return () => window.clearTimeout(timer);
  }, [told]);
  const press = async (): Promise<void> => {
    setTold((await copyText(text())) ? "Copied" : "The browser does not allow it");
  };
  return (
    <button type="button" class="link" aria-live="polite" onClick={() => void press()}>
      {told || label}
    </button>
  );
}
