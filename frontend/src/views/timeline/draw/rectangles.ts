// The events: one fill a look, then their names where they have room.

import { firstEndingAfter, nameOf, type Track } from "../../../model/timeline/block";
import type { LaneBox, PaneName } from "../../../model/timeline/layout";
import { rowY } from "../../../model/timeline/layout";
import { LOOKS } from "../../../model/timeline/looks";
import { CLOSING_WAIT, NO_WAIT, type Picture } from "../../../model/timeline/picture";
import type { Paint, Palette } from "./palette";
import { boxOf, type Brush } from "./scene";

const NAME_SIZE = 11.5;
const SMALL_NAME_SIZE = 10.5;
/** Rows lower than this have smaller names. */
const LOW_ROW = 15;
const LEAST_HEIGHT_FOR_NAME = 11;
const LEAST_WIDTH_FOR_NAME = 22;
const NAME_PADDING = 4;
/** Events wider than this stand one pixel apart. */
const GAP_FROM = 4;
const SPARSE_LEVELS = 4;
const SPARSEST = 0.4;

const OUTLINED = new Set([LOOKS.indexOf("step"), LOOKS.indexOf("gpu_annotation"), LOOKS.indexOf("profiler")]);

const GPU_WORK = new Set([LOOKS.indexOf("compute"), LOOKS.indexOf("communication"), LOOKS.indexOf("copy")]);

interface Named {
  text: string;
  left: number;
  right: number;
  middle: number;
  ink: string;
  /** Behind the name, where what is there has no even colour. */
  back: Paint | null;
  frame: string | null;
  height: number;
}

interface Row {
  picture: Picture;
  track: Track;
  top: number;
  height: number;
  named: boolean;
}

/** How opaque a rectangle is whose events cover a part of it, in few levels. */
function opacity(fill: number): number {
  const level = Math.ceil((fill / 255) * SPARSE_LEVELS) / SPARSE_LEVELS;
  return SPARSEST + (1 - SPARSEST) * level;
}

/** Draws the rectangles of one row; gives those that have room for a name. */
function drawRow(brush: Brush, row: Row, names: Named[]): void {
  const { picture, track, top, height } = row;
  const { ctx, scene, scale } = brush;
  const { block, looks, waits } = picture;
  const { palette, width } = scene;
  const shift = block.from_us - scene.view.from;
  const until = scene.view.to - block.from_us;
  const named = row.named && height >= LEAST_HEIGHT_FOR_NAME;
  let look = -1;
  let alpha = 1;
  for (
    let i = firstEndingAfter(block, track, scene.view.from - block.from_us);
    i < track.end && block.start[i]! < until;
    i += 1
  ) {
    const left = Math.max(-2, (block.start[i]! + shift) * scale);
    const right = Math.min(width + 2, (block.end[i]! + shift) * scale);
    const wide = right - left;
    if (looks[i] !== look) {
      look = looks[i]!;
      ctx.fillStyle = palette.looks[look]!;
    }
    const wanted = block.ref[i]! < 0 ? opacity(block.fill[i]!) : 1;
    if (wanted !== alpha) ctx.globalAlpha = alpha = wanted;
    ctx.fillRect(left, top, wide > GAP_FROM ? wide - 1 : Math.max(1, wide), height);
    if (wide > GAP_FROM && OUTLINED.has(look)) {
      ctx.strokeStyle = look === LOOKS.indexOf("profiler") ? palette.profiler : palette.lineStrong;
      ctx.strokeRect(left + 0.5, top + 0.5, wide - 2, height - 1);
    }
    if (named && wide >= LEAST_WIDTH_FOR_NAME) {
      const text = labelOf(brush, nameOf(block, i), look);
      const colours = namedLook(palette, look, waits[i]!);
      if (text !== null) names.push({ text, left, right, middle: top + height / 2, height, ...colours });
    }
  }
  if (alpha !== 1) ctx.globalAlpha = 1;
}

/** What stands on a rectangle: GPU work has the names that people use, all else those of the trace. */
function labelOf({ scene }: Brush, name: string | null, look: number): string | null {
  return name !== null && GPU_WORK.has(look) ? (scene.human.get(name) ?? name) : name;
}

/** Colours of a name and of what is behind it. */
function namedLook(palette: Palette, look: number, wait: number): Pick<Named, "ink" | "back" | "frame"> {
  if (wait === CLOSING_WAIT) return { ink: palette.text, back: palette.surface, frame: palette.profiler };
  if (wait !== NO_WAIT)
    return { ink: palette.waitInk, back: palette.shades.wait_gpu_busy, frame: palette.waitLine };
  const back = look === LOOKS.indexOf("profiler") ? palette.surface : null;
  return { ink: palette.inks[look]!, back, frame: null };
}

function rowsOf(brush: Brush, picture: Picture, pane: PaneName): Row[] {
  const { layout, scrolls } = brush.scene;
  const { top: paneTop, height: paneHeight } = layout[pane];
  let box: LaneBox | undefined;
  return picture.block.tracks.flatMap((track) => {
    if (box?.lane.id !== track.lane) box = boxOf(layout, track.lane);
    if (box?.pane !== pane) return [];
    const top = rowY(layout, box, track.row, scrolls);
    const height = box.rowHeight[track.row] ?? 0;
    if (top + height <= paneTop || top >= paneTop + paneHeight) return [];
    return [{ picture, track, top, height, named: !box.folded || box.lane.rows === 1 }];
  });
}

/** Draws names with all of their letters in sight; one that begins left of the drawing begins at its edge. */
function drawNames(brush: Brush, names: readonly Named[]): void {
  const { ctx, scene } = brush;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  let ink = "";
  let small: boolean | null = null;
  for (const name of names) {
    if (small !== name.height < LOW_ROW) {
      small = name.height < LOW_ROW;
      setFont(brush, false, small ? SMALL_NAME_SIZE : NAME_SIZE);
    }
    const left = Math.max(0, name.left) + NAME_PADDING;
    const text = scene.labels.fit(name.text, Math.min(scene.width, name.right) - left - NAME_PADDING);
    if (name.frame !== null) {
      ctx.strokeStyle = name.frame;
      ctx.strokeRect(
        name.left + 0.5,
        name.middle - name.height / 2 + 0.5,
        name.right - name.left - 2,
        name.height - 1,
      );
    }
    if (text === null) continue;
    if (name.back !== null) {
      ctx.fillStyle = name.back;
      ctx.fillRect(left - 2, name.middle - 5, scene.labels.measure(text) + 4, 10);
      ink = "";
    }
    if (name.ink !== ink) ctx.fillStyle = ink = name.ink;
    ctx.fillText(text, left, name.middle + 0.5);
  }
}

export function setFont({ ctx, scene }: Brush, bold = false, size = NAME_SIZE): void {
  ctx.font = `${bold ? "600 " : ""}${size}px ${scene.palette.sans}`;
}

/** Draws the events of a pane; gives how to draw their names, for after the waits. */
export function drawRectangles(brush: Brush, pane: PaneName): () => void {
  const { picture } = brush.scene;
  if (!picture) return () => undefined;
  const names: Named[] = [];
  brush.ctx.lineWidth = 1;
  for (const row of rowsOf(brush, picture, pane)) drawRow(brush, row, names);
  return () => drawNames(brush, names);
}

const NARROW = 6;
const MARK_HEIGHT = 4;

/** Frames what has the searched text in its name, and underlines what is too narrow for a frame. */
export function drawMatches(brush: Brush, pane: PaneName): void {
  const { scene, ctx, scale } = brush;
  const { picture, query, view } = scene;
  if (!picture || query === "") return;
  const { block } = picture;
  const matches = block.names.map((name) => name.toLowerCase().includes(query));
  ctx.strokeStyle = ctx.fillStyle = scene.palette.text;
  ctx.lineWidth = 1.5;
  for (const { track, top, height } of rowsOf(brush, picture, pane)) {
    const from = firstEndingAfter(block, track, view.from - block.from_us);
    for (let i = from; i < track.end && block.start[i]! < view.to - block.from_us; i += 1) {
      if (!matches[block.name[i]!]) continue;
      const left = (block.start[i]! + block.from_us - view.from) * scale;
      const wide = Math.max(2, (block.end[i]! - block.start[i]!) * scale);
      if (wide > NARROW) ctx.strokeRect(left + 0.75, top + 0.75, wide - 1.5, height - 1.5);
      else ctx.fillRect(left, top + height - MARK_HEIGHT, wide, MARK_HEIGHT);
    }
  }
}
