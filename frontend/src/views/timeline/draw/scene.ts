// All that one frame of the drawing shows.

import type { EventRef, Timeline } from "../../../api/types";
import type { Rectangle } from "../../../model/timeline/find";
import type { Layout, LaneBox, Scrolls } from "../../../model/timeline/layout";
import { rowY } from "../../../model/timeline/layout";
import type { Labels } from "../../../model/timeline/names";
import type { Picture } from "../../../model/timeline/picture";
import type { Shaded } from "../../../model/timeline/shaded";
import type { Story } from "../../../model/timeline/story";
import { spanOf, type View } from "../../../model/timeline/view";
import type { Palette } from "./palette";

/** The chosen event; `links`: what it launched, or what launched it. */
export interface Selection {
  event: EventRef;
  links: readonly { call: EventRef; work: EventRef }[];
  latency_us: number | null;
}

export interface Scene {
  timeline: Timeline;
  /** What GPU work is called for people, by name. */
  human: ReadonlyMap<string, string>;
  layout: Layout;
  scrolls: Scrolls;
  view: View;
  /** The moment that the axis counts from, µs. */
  zero_us: number;
  width: number;
  picture: Picture | null;
  overview: Picture | null;
  palette: Palette;
  labels: Labels;
  stories: readonly Story[];
  selection: Selection | null;
  /** The chosen shaded part, in place of an event. */
  part: Shaded | null;
  hover: Rectangle | null;
  measure: View | null;
  /** In small letters; names that contain it are framed. "": none. */
  query: string;
}

export interface Brush {
  ctx: CanvasRenderingContext2D;
  scene: Scene;
  /** px per µs. */
  scale: number;
}

export function brushOf(ctx: CanvasRenderingContext2D, scene: Scene): Brush {
  return { ctx, scene, scale: scene.width / spanOf(scene.view) };
}

export function xOf({ scene, scale }: Brush, at_us: number): number {
  return (at_us - scene.view.from) * scale;
}

export function boxOf(layout: Layout, lane: number): LaneBox | undefined {
  return layout.boxes.find((box) => box.lane.id === lane);
}

/** Left, top, width and height of a time on a row; null where its pane does not show the row. */
export function areaOf(
  brush: Brush,
  at: { lane: number; row: number; start_us: number; end_us: number },
): [number, number, number, number] | null {
  const { layout, scrolls } = brush.scene;
  const box = boxOf(layout, at.lane);
  if (!box) return null;
  const top = rowY(layout, box, at.row, scrolls);
  const height = box.rowHeight[at.row] ?? 0;
  const pane = layout[box.pane];
  if (top + height <= pane.top || top >= pane.top + pane.height) return null;
  const left = xOf(brush, at.start_us);
  return [left, top, Math.max(1, xOf(brush, at.end_us) - left), height];
}

/** Draws inside of a pane only. */
export function inPane({ ctx, scene }: Brush, name: "cpu" | "gpu", draw: () => void): void {
  const { top, height } = scene.layout[name];
  if (height <= 0) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, top, scene.width, height);
  ctx.clip();
  draw();
  ctx.restore();
}
