import type { RefObject } from "preact";
import { useCallback, useEffect, useRef } from "preact/hooks";

/** Makes the canvas as fine as the screen; gives its brush, in CSS pixels. */
export function brushFor(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const fine = window.devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * fine), Math.round(height * fine)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  const ctx = canvas.getContext("2d");
  ctx?.setTransform(fine, 0, 0, fine, 0, 0);
  return ctx;
}

/** Draws at most once a frame, the newest way to; gives how to ask for it. */
export function useFrames(draw: () => void): () => void {
  const newest = useRef(draw);
  newest.current = draw;
  const asked = useRef(0);
  useEffect(() => () => window.cancelAnimationFrame(asked.current), []);
  return useCallback(() => {
    if (asked.current !== 0) return;
    asked.current = window.requestAnimationFrame(() => {
      asked.current = 0;
      newest.current();
    });
  }, []);
}

/** Calls back when the theme on the page, or the fineness of the screen, changes. */
export function usePaintChanges(onChange: () => void): void {
  useEffect(() => {
    const observer = new MutationObserver(onChange);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    window.addEventListener("resize", onChange);
    return () => {
      observer.disconnect();
      window.removeEventListener("resize", onChange);
    };
  }, [onChange]);
}

export type CanvasRef = RefObject<HTMLCanvasElement | null>;
