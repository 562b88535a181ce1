import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

const KEYS: readonly [string, string][] = [
  ["[ ]", "Previous, next step"],
  ["n p", "Next, previous finding"],
  ["↵", "Open or close a finding"],
  ["← →", "Step beside, in the strip"],
  ["Home End", "First, last step, in the strip"],
  ["? Esc", "Show, close this list"],
];

export function Help({ open, onClose }: { open: boolean; onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open) dialog.current?.close();
  }, [open]);
  const outside = (event: MouseEvent): void => {
    if (event.target === dialog.current) onClose();
  };
  return (
    <dialog ref={dialog} class="help" aria-label="Keys" onClose={onClose} onClick={outside}>
      <div>
        <header>
          <h2>Keys</h2>
          <button type="button" class="tool" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </header>
        <dl>
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
      </div>
    </dialog>
  );
}
