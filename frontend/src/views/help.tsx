import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { RunsAnswer } from "../api/answers";
import { WORDS } from "../model/glossary";

const KEYS: readonly [string, string][] = [
  ["1 2 3 4", "Overview and the other screens"],
  ["[ ]", "Previous, next step"],
  ["n p", "Next, previous finding"],
  ["↵", "Open or close a finding"],
  ["← →", "Step beside, in the strip"],
  ["↑ ↓", "Row beside, in the step’s table"],
  ["Home End", "First, last step, in the strip"],
  ["W S A D", "Timeline: zoom, move"],
  ["← → ↑ ↓", "Timeline: event beside, lane above or below"],
  ["L F 0", "Timeline: launch or kernel, fit, whole recording"],
  ["V Esc", "Timeline: table, back"],
  ["⇧", "Timeline: drag with it to measure"],
  ["x", "Exchange the two sides of a comparison"],
  ["/", "Search what this trace contains"],
  [".", "Follow the newest file, or stop"],
  ["? Esc", "Show, close this page"],
];

const ENGINES = { c: "the scanner in C", msgspec: "msgspec, without the scanner in C" } as const;

function About({ of }: { of: Pick<RunsAnswer, "version" | "engine"> }): JSX.Element {
  return (
    <p class="about">
      Explain {of.version}. Traces are read with {ENGINES[of.engine]}.
    </p>
  );
}

interface HelpProps {
  open: boolean;
  onClose: () => void;
  about: Pick<RunsAnswer, "version" | "engine"> | null;
}

export function Help({ open, onClose, about }: HelpProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open) dialog.current?.close();
  }, [open]);
  const outside = (event: MouseEvent): void => {
    if (event.target === dialog.current) onClose();
  };
  return (
    <dialog ref={dialog} class="help" aria-label="Keys and words" onClose={onClose} onClick={outside}>
      <div>
        <header>
          <h2>Keys</h2>
          <button type="button" class="tool" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </header>
        <dl class="keys">
          {KEYS.map(([keys, meaning]) => (
            <div key={keys}>
              <dt>{meaning}</dt>
              <dd>
                {keys.split(" ").map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
        <h2>Words</h2>
        <dl class="words">
          {Object.entries(WORDS).map(([word, meaning]) => (
            <div key={word}>
              <dt>{word}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        {about && <About of={about} />}
      </div>
    </dialog>
  );
}
