import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

function isAwake(): boolean {
  return document.visibilityState !== "hidden" && window.innerHeight > 0;
}

/** Whether the page can be seen. TensorBoard keeps the frames of other tabs alive, without height. */
export function useVisible(root: RefObject<HTMLElement | null>): boolean {
  const [onScreen, setOnScreen] = useState(true);
  const [awake, setAwake] = useState(isAwake);
  useEffect(() => {
    if (!root.current || typeof IntersectionObserver === "undefined") return undefined;
    const observer = new IntersectionObserver((entries) => {
      const last = entries.at(-1);
      if (last) setOnScreen(last.isIntersecting);
    });
    observer.observe(root.current);
    return () => observer.disconnect();
  }, [root]);
  useEffect(() => {
    const update = (): void => setAwake(isAwake());
    document.addEventListener("visibilitychange", update);
    window.addEventListener("resize", update);
    return () => {
      document.removeEventListener("visibilitychange", update);
      window.removeEventListener("resize", update);
    };
  }, []);
  return onScreen && awake;
}
