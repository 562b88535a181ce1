import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { isTypedInto } from "./host";

/**
 * Takes the keys as soon as the page can be seen, so that they work without a click; not from a field, nor
 * from anything in the page that has them. The part that scrolls is preferred, for the keys that scroll.
 */
export function useFocus(root: RefObject<HTMLElement | null>, visible: boolean, hasMain: boolean): void {
  useEffect(() => {
    const active = document.activeElement;
    const free = active === null || active === document.body || active === root.current;
    if (!visible || isTypedInto()) return;
    window.focus();
    if (free) (root.current?.querySelector("main") ?? root.current)?.focus({ preventScroll: true });
  }, [visible, hasMain]);
}
