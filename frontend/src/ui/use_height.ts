import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** The height of an element, kept up to date; `first` until it is known. */
export function useHeight(element: RefObject<HTMLElement | null>, first: number): number {
  const [height, setHeight] = useState(first);
  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return undefined;
    const measure = (): void => setHeight(target.offsetHeight || first);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    return () => observer.disconnect();
  }, [element, first]);
  return height;
}
