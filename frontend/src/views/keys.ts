// Keys that work anywhere on the page.

import { useEffect } from "preact/hooks";
import type { Report } from "../api/types";
import { stepIndex, stepKeys } from "../model/steps";
import type { Place } from "../state/place";
import type { Go } from "../state/use_place";
import { SCREENS, type Screen } from "./screens";

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  return target instanceof Element && target.closest("input, select, textarea") !== null;
}

/** Whether a press is meant as one of the page’s keys: no modifier, no field, no open dialog. */
export function isCommand(event: KeyboardEvent): boolean {
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  return plain && !isTyping(event) && document.querySelector("dialog[open]") === null;
}

function moveStep(report: Report, place: Place, go: Go, by: number): void {
  const keys = stepKeys(report.steps);
  const at = Math.max(0, Math.min(keys.length - 1, stepIndex(report, place.step) + by));
  go({ step: keys[at] ?? null });
}

function moveFinding(by: number): void {
  const heads = [...document.querySelectorAll<HTMLElement>(".finding-head")];
  const at = heads.indexOf(document.activeElement as HTMLElement);
  const to = at < 0 && by < 0 ? heads.length - 1 : at + by;
  heads[Math.max(0, Math.min(heads.length - 1, to))]?.focus();
}

/** `1` is the first screen, `2` the second. */
function screenOfKey(key: string): Screen | undefined {
  return /^[1-9]$/.test(key) ? SCREENS[Number(key) - 1] : undefined;
}

interface Keys {
  report: Report | null;
  place: Place;
  go: Go;
  onHelp: () => void;
  onSearch: () => void;
  onFollow: () => void;
}

export function useKeys({ report, place, go, onHelp, onSearch, onFollow }: Keys): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (event.key === "?") onHelp();
      else if (document.querySelector("dialog[open]") !== null) return;
      else if (event.key === "/") {
        event.preventDefault();
        onSearch();
      } else if (event.key === ".") onFollow();
      else if (screenOfKey(event.key)) go({ tab: screenOfKey(event.key)?.id ?? null });
      else if (report && event.key === "[") moveStep(report, place, go, -1);
      else if (report && event.key === "]") moveStep(report, place, go, 1);
      else if (event.key === "n") moveFinding(1);
      else if (event.key === "p") moveFinding(-1);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [report, place, go, onHelp, onSearch, onFollow]);
}
