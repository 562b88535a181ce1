/** Whether the reader asked for as little motion as possible. */
export function wantsStillness(): boolean {
  return window.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;
}
