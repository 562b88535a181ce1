import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

const TOLD_MS = 2000;

type Outcome = "" | "copied" | "selected";

/** Copies; where the browser gives this page no clipboard (no HTTPS), by the older way. */
async function copy(text: string, shown: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    window.getSelection()?.selectAllChildren(shown);
    return typeof document.execCommand === "function" && document.execCommand("copy");
  }
}

const WORDS: Readonly<Record<Outcome, string>> = {
  "": "Copy",
  copied: "Copied",
  selected: "Selected: press Ctrl+C",
};

interface Props {
  text: string;
  class?: string;
  /** The text as it is shown, where that is not the text itself. */
  children?: ComponentChildren;
}

/** Lines of code, and the button that copies them. */
export function CodeBlock(props: Props): JSX.Element {
  const block = useRef<HTMLPreElement>(null);
  const [outcome, setOutcome] = useState<Outcome>("");
  useEffect(() => {
    if (outcome === "") return undefined;
    const timer = window.setTimeout(() => setOutcome(""), TOLD_MS);
    return () => window.clearTimeout(timer);
  }, [outcome]);
  const press = async (): Promise<void> => {
    if (block.current) setOutcome((await copy(props.text, block.current)) ? "copied" : "selected");
  };
  return (
    <div class="code-block">
      <pre ref={block} class={props.class ?? ""} tabIndex={0}>
        {props.children ?? props.text}
      </pre>
      <button type="button" class="copy" aria-live="polite" onClick={() => void press()}>
        {WORDS[outcome]}
      </button>
    </div>
  );
}
