import type { ComponentChildren, JSX } from "preact";

interface Props {
  meaning: string;
  /** Whether it is a stop of the Tab key of its own; in a list that arrow keys walk, only the first is. */
  stop?: boolean;
  children: ComponentChildren;
}

/** Words whose meaning shows under the mouse, under the focus (by bars.css), and is spoken. */
export function Term({ meaning, stop = true, children }: Props): JSX.Element {
  return (
    <span class="term" tabIndex={stop ? 0 : -1} title={meaning} aria-description={meaning}>
      {children}
    </span>
  );
}

const ROW_KEYS: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };

/** ↑ and ↓ go from one term to the next inside the element that listens with it. */
export function walkTerms(event: KeyboardEvent): void {
  const by = ROW_KEYS[event.key];
  const terms = [...(event.currentTarget as Element).querySelectorAll<HTMLElement>(".term")];
  const at = terms.indexOf(document.activeElement as HTMLElement);
  if (by === undefined || at < 0) return;
  event.preventDefault();
  terms[Math.max(0, Math.min(terms.length - 1, at + by))]?.focus();
}
