// A block with all that drawing needs and that does not change while the reader pans.

import type { LaneInfo, Shade } from "../../api/types";
import { firstEndingAfter, type Block, type ShadeRun, type Track } from "./block";
import { isCall, looksOf } from "./looks";

export interface Picture {
  block: Block;
  /** Of each rectangle, its place in `LOOKS`. */
  looks: Uint8Array;
  /** Of each rectangle, whether it is a call that waits: `NO_WAIT`, `WAIT` or `CLOSING_WAIT`. */
  waits: Uint8Array;
  /** Of each shaded interval, the row of the call that waits; -1 where none was found. */
  shadeRow: Int16Array;
}

export const NO_WAIT = 0;
export const WAIT = 1;
/** The profiler's own, at the end of the recording. */
export const CLOSING_WAIT = 2;

/** The deepest call on a lane that runs at a time. */
function callAt(block: Block, tracks: readonly Track[], at: number): [number, number] | null {
  for (let i = tracks.length - 1; i >= 0; i -= 1) {
    const track = tracks[i]!;
    const found = firstEndingAfter(block, track, at);
    if (found < track.end && block.start[found]! <= at && isCall(block.category[found]!))
      return [found, track.row];
  }
  return null;
}

function markWaits(picture: Picture, run: ShadeRun, kind: number, tracks: readonly Track[]): void {
  const { block } = picture;
  for (let i = run.first; i < run.end; i += 1) {
    const found = callAt(block, tracks, (block.shadeStart[i]! + block.shadeEnd[i]!) / 2);
    if (found) {
      picture.waits[found[0]] = kind;
      picture.shadeRow[i] = found[1];
    }
  }
}

export function pictureOf(
  block: Block,
  timeline: { lanes: readonly LaneInfo[]; shades: readonly Shade[] },
): Picture {
  const picture = {
    block,
    looks: looksOf(block, timeline.lanes),
    waits: new Uint8Array(block.start.length),
    shadeRow: new Int16Array(block.shadeStart.length).fill(-1),
  };
  for (const run of block.shades) {
    const shade = timeline.shades[run.shade];
    if (!shade || shade.lane === null) continue;
    const tracks = block.tracks.filter((track) => track.lane === shade.lane);
    markWaits(picture, run, shade.cause === "closing_wait" ? CLOSING_WAIT : WAIT, tracks);
  }
  return picture;
}

/** What one row of a lane holds in the whole recording. */
export type RowKind = "outer" | "work" | "annotation" | "sync" | "plain";

/** Rows of so few Python frames tell where the program began, and nothing of the steps. */
const FEW_FRAMES = 2;

function rowKind(picture: Picture, track: Track): RowKind {
  const categories = new Set(picture.block.category.subarray(track.first, track.end));
  const only = (...wanted: number[]): boolean => [...categories].every((each) => wanted.includes(each));
  if (only(3)) return "annotation";
  if (only(11)) return "sync";
  if (only(6, 7, 8)) return "work";
  const single = track.end - track.first <= FEW_FRAMES && (picture.block.ref[track.first] ?? -1) >= 0;
  return only(10) && single ? "outer" : "plain";
}

export type RowKinds = ReadonlyMap<string, RowKind>;

export const rowKey = (lane: number, row: number): string => `${lane} ${row}`;

/** The kind of each row; `picture` shows the whole recording. */
export function rowKinds(picture: Picture | null): RowKinds {
  const tracks = picture?.block.tracks ?? [];
  return new Map(tracks.map((track) => [rowKey(track.lane, track.row), rowKind(picture!, track)]));
}
