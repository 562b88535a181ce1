// What the reader of the timeline looks at. It changes with every frame of a pan, so it is no state of a view:
// views are told.

import type { PaneName, Scrolls } from "../../model/timeline/layout";
import { between, clampView, spanOf, type View } from "../../model/timeline/view";
import { wantsStillness } from "../stillness";

const MOVE_MS = 180;
const SETTLE_MS = 180;
const MOST_BACK = 50;

export class Camera {
  scrolls: Scrolls = { cpu: 0, gpu: 0 };
  private readonly past: View[] = [];
  private readonly onChange = new Set<() => void>();
  private readonly onSettle = new Set<() => void>();
  private settling: number | undefined;
  private moving = 0;

  constructor(
    public view: View,
    readonly whole: View,
  ) {}

  /** Calls back with every change, and once it has come to rest; gives how to stop it. */
  listen(change: () => void, settle: () => void): () => void {
    this.onChange.add(change);
    this.onSettle.add(settle);
    return () => {
      this.onChange.delete(change);
      this.onSettle.delete(settle);
    };
  }

  /** Shows a range at once, as in a pan or a zoom. */
  set(view: View): void {
    window.cancelAnimationFrame(this.moving);
    this.put(view);
  }

  scroll(pane: PaneName, to: number): void {
    this.scrolls = { ...this.scrolls, [pane]: to };
    this.changed();
  }

  /** Goes to a range that `back` leads away from again. */
  jump(view: View): void {
    const to = clampView(view, this.whole);
    if (to.from === this.view.from && to.to === this.view.to) return;
    this.past.push(this.view);
    if (this.past.length > MOST_BACK) this.past.shift();
    this.move(to);
  }

  /** To where the last jump began; false where there was none. */
  back(): boolean {
    const before = this.past.pop();
    if (before) this.move(before);
    return before !== undefined;
  }

  dispose(): void {
    window.cancelAnimationFrame(this.moving);
    window.clearTimeout(this.settling);
  }

  private put(view: View): void {
    this.view = clampView(view, this.whole);
    this.changed();
  }

  private move(to: View): void {
    window.cancelAnimationFrame(this.moving);
    const from = this.view;
    if (wantsStillness() || spanOf(from) / spanOf(to) > 1e5) return this.put(to);
    const began = performance.now();
    const frame = (now: number): void => {
      const share = Math.min(1, Math.max(0, (now - began) / MOVE_MS));
      const eased = 1 - (1 - share) ** 3;
      this.put(share === 1 ? to : between(from, to, eased));
      if (share < 1) this.moving = window.requestAnimationFrame(frame);
    };
    this.moving = window.requestAnimationFrame(frame);
  }

  private changed(): void {
    for (const tell of this.onChange) tell();
    window.clearTimeout(this.settling);
    this.settling = window.setTimeout(() => {
      for (const tell of this.onSettle) tell();
    }, SETTLE_MS);
  }
}
