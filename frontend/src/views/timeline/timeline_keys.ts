// Keys of the timeline, beside those of the whole page.

import { useEffect } from "preact/hooks";

export type Command =
  | "in"
  | "out"
  | "left"
  | "right"
  | "next"
  | "previous"
  | "up"
  | "down"
  | "fit"
  | "whole"
  | "link"
  | "back"
  | "table"
  | "nextStory"
  | "previousStory";

const COMMANDS: Readonly<Record<string, Command>> = {
  w: "in",
  s: "out",
  a: "left",
  d: "right",
  ArrowLeft: "previous",
  ArrowRight: "next",
  ArrowUp: "up",
  ArrowDown: "down",
  f: "fit",
  "0": "whole",
  l: "link",
  Escape: "back",
  v: "table",
  n: "nextStory",
  p: "previousStory",
};

export const KEYS: readonly [string, string][] = [
  ["W S", "zoom"],
  ["A D", "move"],
  ["← →", "along lane"],
  ["↑ ↓", "lane"],
  ["L", "launch ⇄ kernel"],
  ["F", "fit"],
  ["0", "whole"],
  ["/", "search"],
  ["V", "table"],
  ["Esc", "back"],
];

/** Fields, lists and tables have arrow keys of their own. */
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest("input, select, textarea, dialog") != null) return true;
  return event.key.startsWith("Arrow") && target?.closest(".tl-panel, .tl-table, .tl-story") != null;
}

/** What a press asks for; null: nothing of a timeline. */
export function commandOf(event: KeyboardEvent): Command | null {
  if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return null;
  if (document.querySelector("dialog[open]") !== null) return null;
  return COMMANDS[event.key.length === 1 ? event.key.toLowerCase() : event.key] ?? null;
}

export function useTimelineKeys(visible: boolean, obey: (command: Command) => void): void {
  useEffect(() => {
    if (!visible) return undefined;
    const press = (event: KeyboardEvent): void => {
      const command = commandOf(event);
      if (command === null) return;
      event.preventDefault();
      obey(command);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [visible, obey]);
}
