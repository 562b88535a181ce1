import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { wantsStillness } from "../../state/stillness";

/** A panel that begins below this share of the window’s height is out of sight. */
const SEEN = 0.75;

/**
 * On narrow pages the panel stands below the drawing: once it tells of what was pressed, it comes into sight.
 * `presses`: how often something was chosen here, not by the address.
 */
export function usePanelInSight(presses: number, told: boolean): RefObject<HTMLElement | null> {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const top = panel.current?.getBoundingClientRect().top ?? 0;
    if (presses === 0 || !told || top <= SEEN * window.innerHeight) return;
    panel.current?.scrollIntoView({ block: "start", behavior: wantsStillness() ? "instant" : "smooth" });
  }, [presses, told]);
  return panel;
}
