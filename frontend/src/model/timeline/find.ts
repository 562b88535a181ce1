// Which rectangle lies at a point, and which is beside another.

import type { EventRef } from "../../api/types";
import { time } from "../format";
import { firstEndingAfter, nameOf, type Block, type Track } from "./block";
import type { Layout, LaneBox, Scrolls } from "./layout";
import { paneAt, rowY } from "./layout";

/** One rectangle of a block: an event, or several that are too small to be told apart. */
export interface Rectangle {
  lane: number;
  row: number;
  /** Index in the file's events; null where it stands for several. */
  event: number | null;
  merged: number;
  name: string | null;
  category: number;
  start_us: number;
  end_us: number;
  /** Whether it begins earlier, or ends later, than the block tells. */
  cutStart: boolean;
  cutEnd: boolean;
}

/** Times as single precision has them: so close to where a block cuts, they are cut. */
const ROUNDING = 1e-6;

export function rectangle(block: Block, track: Track, index: number): Rectangle {
  const ref = block.ref[index]!;
  const length = (block.to_us - block.from_us) * (1 - ROUNDING);
  return {
    lane: track.lane,
    row: track.row,
    event: ref >= 0 ? ref : null,
    merged: ref >= 0 ? 1 : -ref,
    name: nameOf(block, index),
    category: block.category[index]!,
    start_us: block.from_us + block.start[index]!,
    end_us: block.from_us + block.end[index]!,
    cutStart: block.start[index]! <= -length,
    cutEnd: block.end[index]! >= 2 * length,
  };
}

/** A rectangle that stands for one event, as the server speaks of events. */
export function eventOfRectangle(found: Rectangle, event: number): EventRef {
  const { lane, row, start_us } = found;
  return {
    ...{ event, name: found.name ?? "", category: "", lane, row, start_us },
    duration_us: found.end_us - start_us,
  };
}

/** How long a rectangle is, in words. */
export function durationText(found: Rectangle): string {
  const known = time(found.end_us - found.start_us);
  return found.cutStart || found.cutEnd ? `over ${known}` : known;
}

export function trackOf(block: Block, lane: number, row: number): Track | null {
  return block.tracks.find((track) => track.lane === lane && track.row === row) ?? null;
}

/** The rectangle of a track at a time, or within `slack_us` of it. */
export function atTime(block: Block, track: Track, at_us: number, slack_us: number): Rectangle | null {
  const at = at_us - block.from_us;
  const first = firstEndingAfter(block, track, at - slack_us);
  let best: number | null = null;
  let distance = slack_us;
  for (let i = first; i < track.end && block.start[i]! <= at + slack_us; i += 1) {
    const away = Math.max(block.start[i]! - at, at - block.end[i]!, 0);
    if (away <= distance) [best, distance] = [i, away];
    if (away === 0) break;
  }
  return best === null ? null : rectangle(block, track, best);
}

function boxAt(layout: Layout, scrolls: Scrolls, y: number): LaneBox | null {
  const pane = paneAt(layout, y);
  if (pane === null) return null;
  const inside = y - layout[pane].top + scrolls[pane];
  return (
    layout.boxes.find((box) => box.pane === pane && inside >= box.top && inside < box.top + box.height) ??
    null
  );
}

function rowAt(layout: Layout, box: LaneBox, scrolls: Scrolls, y: number): number {
  return box.rowTop.findIndex((_top, row) => {
    const top = rowY(layout, box, row, scrolls);
    return y >= top && y <= top + (box.rowHeight[row] ?? 0);
  });
}

/** The rectangle at a point of the drawing; in a folded lane the deepest. */
export function atPoint(
  block: Block,
  layout: Layout,
  scrolls: Scrolls,
  point: { at_us: number; y: number; slack_us: number },
): Rectangle | null {
  const box = boxAt(layout, scrolls, point.y);
  if (box === null) return null;
  const row = rowAt(layout, box, scrolls, point.y);
  const rows = box.folded ? box.rowTop.map((_, i) => box.rowTop.length - 1 - i) : row < 0 ? [] : [row];
  for (const each of rows) {
    const track = trackOf(block, box.lane.id, each);
    const found = track && atTime(block, track, point.at_us, point.slack_us);
    if (found) return found;
  }
  return null;
}

/** The single event that comes before or after a time on a track; null: none in this block. */
export function beside(block: Block, track: Track, start_us: number, by: 1 | -1): Rectangle | null {
  const at = start_us - block.from_us;
  const step = (i: number): number | null => {
    for (let at = i; at >= track.first && at < track.end; at += by) if (block.ref[at]! >= 0) return at;
    return null;
  };
  const here = firstEndingAfter(block, track, at);
  const near = here < track.end && Math.abs(block.start[here]! - at) < 0.0005 ? here : null;
  const next = near === null ? (by > 0 ? here : here - 1) : near + by;
  const found = step(next);
  return found === null ? null : rectangle(block, track, found);
}

/** Of a track the single event nearest to a time. */
function nearest(block: Block, track: Track, at_us: number): Rectangle | null {
  const at = at_us - block.from_us;
  const middle = firstEndingAfter(block, track, at);
  for (let away = 0; away < track.end - track.first; away += 1) {
    for (const i of [middle + away, middle - away - 1])
      if (i >= track.first && i < track.end && block.ref[i]! >= 0) return rectangle(block, track, i);
  }
  return null;
}

/** The event nearest to a time on the next row above (-1) or below (1) that shows any in `[from, to]`. */
export function across(
  block: Block,
  layout: Layout,
  from: { lane: number; row: number } | null,
  at_us: number,
  by: 1 | -1,
  seen: { from: number; to: number },
): Rectangle | null {
  const places = layout.boxes.flatMap((box) => box.rowTop.map((_, row) => ({ lane: box.lane.id, row })));
  const here = from === null ? -1 : places.findIndex((p) => p.lane === from.lane && p.row === from.row);
  for (let i = here + by; i >= 0 && i < places.length; i += by) {
    const place = places[i]!;
    const track = trackOf(block, place.lane, place.row);
    const found = track && nearest(block, track, at_us);
    if (found && found.end_us >= seen.from && found.start_us <= seen.to) return found;
  }
  return null;
}

/** The rectangles in a range, by lane, row and start; at most so many, and whether there are more. */
export function inRange(block: Block, from_us: number, to_us: number, most: number): [Rectangle[], boolean] {
  const found: Rectangle[] = [];
  for (const track of block.tracks) {
    const first = firstEndingAfter(block, track, from_us - block.from_us);
    for (let i = first; i < track.end && block.start[i]! + block.from_us < to_us; i += 1) {
      if (found.length === most) return [found, true];
      found.push(rectangle(block, track, i));
    }
  }
  return [found, false];
}
