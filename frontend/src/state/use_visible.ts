import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Whether the page can be seen. TensorBoard keeps the frames of other tabs alive, without height. */
export function useVisible(root: RefObject<HTMLElement | null>): boolean {
  const [onScreen, setOnScreen] = useState(true);
  const [awake, setAwake] = useState(document.visibilityState !== "hidden");
  useEffect(() => {
    if (!root.current || typeof IntersectionObserver === "undefined") return undefined;
    const observer = new IntersectionObserver((entries) => {
      const last = entries.at(-1);
      if (last) setOnScreen(last.isIntersecting && last.intersectionRect.height > 0);
    });
    observer.observe(root.current);
    return () => observer.disconnect();
  }, [root]);
  useEffect(() => {
    const update = (): void => setAwake(document.visibilityState !== "hidden");
    document.addEventListener("visibilitychange", update);
    return () => document.removeEventListener("visibilitychange", update);
  }, []);
  return onScreen && awake;
}
