// Where each lane and row stands. Threads scroll; streams stay in sight below them.

import type { LaneInfo, LaneRole } from "../../api/types";
import { rowKey, type RowKind, type RowKinds } from "./picture";

export type PaneName = "cpu" | "gpu";

export interface LaneBox {
  lane: LaneInfo;
  pane: PaneName;
  folded: boolean;
  /** From the top of the pane's content, px; rows from there too. */
  top: number;
  height: number;
  rowTop: readonly number[];
  rowHeight: readonly number[];
  /** Top of the first row that is no annotation and no wait seen from the GPU. */
  workTop: number;
}

export interface Heading {
  text: string;
  pane: PaneName;
  top: number;
}

/** Part of the drawing: where it begins, how high it is, and how high what is in it. */
export interface Pane {
  top: number;
  height: number;
  content: number;
}

export interface Layout {
  boxes: readonly LaneBox[];
  headings: readonly Heading[];
  cpu: Pane;
  gpu: Pane;
  height: number;
}

/** Call-outs, times and steps, above the lanes. */
export const AXIS_HEIGHT = 56;
export const HEADING_HEIGHT = 20;
const FOLDED_HEIGHT = 16;
const LANE_GAP = 6;
const ROW_GAP = 1;
const PANE_GAP = 8;
/** Heights of a thread's rows, the highest that has room; below 11 px no name can be read. */
const ROW_HEIGHTS = [20, 18, 16, 14, 12] as const;
const OUTER_HEIGHT = 3;
const MOST_OF_GPU = 0.5;
const OPEN_THREADS = 4;

function streamRow(kind: RowKind | undefined, streams: number): number {
  if (kind === "annotation") return 15;
  if (kind === "sync") return 7;
  return streams === 1 ? 36 : streams <= 4 ? 24 : 16;
}

function threadRow(kind: RowKind | undefined, height: number): number {
  return kind === "outer" ? OUTER_HEIGHT : height;
}

/** Lanes that begin folded: threads without a part in the steps, where there are many. */
export function foldedAtFirst(lanes: readonly LaneInfo[]): Set<number> {
  const threads = lanes.filter((lane) => lane.kind === "thread");
  const minor = lanes.filter((lane) => lane.kind !== "stream" && lane.role === null);
  const fold = threads.length > OPEN_THREADS ? minor : minor.filter((lane) => lane.rows > 1);
  return new Set(fold.map((lane) => lane.id));
}

function headingOf(lane: LaneInfo, processes: number): string {
  if (lane.kind === "stream") return lane.device === null ? "GPU" : `GPU ${lane.device}`;
  if (lane.kind === "thread") return processes > 1 ? `CPU, process ${lane.process}` : "CPU";
  return "Other";
}

interface Stacked {
  boxes: LaneBox[];
  headings: Heading[];
  content: number;
}

type RowHeight = (kind: RowKind | undefined) => number;

function boxOf(lane: LaneInfo, pane: PaneName, top: number, folded: boolean, heights: number[]): LaneBox {
  const rowTop = heights.map((_, row) =>
    folded ? top : top + heights.slice(0, row).reduce((sum, height) => sum + height + ROW_GAP, 0),
  );
  const height = folded ? FOLDED_HEIGHT : heights.reduce((sum, each) => sum + each + ROW_GAP, 0);
  const rowHeight = folded ? heights.map(() => FOLDED_HEIGHT) : heights;
  return { lane, pane, folded, top, height, rowTop, rowHeight, workTop: top };
}

/** Lanes one below the other, with a heading wherever the process or the device changes. */
function stack(
  lanes: readonly LaneInfo[],
  pane: PaneName,
  folded: ReadonlySet<number>,
  kinds: RowKinds,
  rowHeight: RowHeight,
): Stacked {
  const threads = lanes.filter((lane) => lane.kind === "thread");
  const processes = new Set(threads.map((lane) => lane.process)).size;
  const found: Stacked = { boxes: [], headings: [], content: 0 };
  for (const lane of lanes) {
    const text = headingOf(lane, processes);
    if (found.headings.at(-1)?.text !== text) {
      found.headings.push({ text, pane, top: found.content });
      found.content += HEADING_HEIGHT;
    }
    const ofRow = Array.from({ length: lane.rows }, (_, row) => kinds.get(rowKey(lane.id, row)));
    const box = boxOf(lane, pane, found.content, folded.has(lane.id), ofRow.map(rowHeight));
    const work = ofRow.findIndex((kind) => kind !== "annotation" && kind !== "sync");
    found.boxes.push({ ...box, workTop: box.rowTop[Math.max(0, work)] ?? box.top });
    found.content += box.height + LANE_GAP;
  }
  return found;
}

/** `height`: of the whole drawing, px. */
export function layOut(
  lanes: readonly LaneInfo[],
  kinds: RowKinds,
  folded: ReadonlySet<number>,
  height: number,
): Layout {
  const streams = lanes.filter((lane) => lane.kind === "stream");
  const others = lanes.filter((lane) => lane.kind !== "stream");
  const gpu = stack(streams, "gpu", folded, kinds, (kind) => streamRow(kind, streams.length));
  const room = Math.max(80, height - AXIS_HEIGHT);
  const gpuHeight = streams.length === 0 ? 0 : Math.min(gpu.content, Math.floor(room * MOST_OF_GPU));
  const cpuRoom = room - gpuHeight - (gpuHeight > 0 ? PANE_GAP : 0);
  const attempt = (rows: number): Stacked =>
    stack(others, "cpu", folded, kinds, (kind) => threadRow(kind, rows));
  const least = ROW_HEIGHTS.at(-1) ?? 12;
  const cpu = attempt(ROW_HEIGHTS.find((rows) => attempt(rows).content <= cpuRoom) ?? least);
  const cpuHeight = Math.min(cpuRoom, cpu.content);
  return {
    boxes: [...cpu.boxes, ...gpu.boxes],
    headings: [...cpu.headings, ...gpu.headings],
    cpu: { top: AXIS_HEIGHT, height: cpuHeight, content: cpu.content },
    gpu: {
      top: AXIS_HEIGHT + cpuHeight + PANE_GAP,
      height: Math.min(gpu.content, room - cpuHeight - PANE_GAP),
      content: gpu.content,
    },
    height,
  };
}

/** How far each pane is scrolled, px. */
export type Scrolls = Readonly<Record<PaneName, number>>;

export function clampScroll(layout: Layout, pane: PaneName, scroll: number): number {
  const { height, content } = layout[pane];
  return Math.min(Math.max(0, scroll), Math.max(0, content - height));
}

/** Top of a row on the drawing, px; it may lie outside of its pane. */
export function rowY(layout: Layout, box: LaneBox, row: number, scrolls: Scrolls): number {
  return layout[box.pane].top - scrolls[box.pane] + (box.rowTop[row] ?? box.top);
}

export function paneAt(layout: Layout, y: number): PaneName | null {
  for (const pane of ["cpu", "gpu"] as const) {
    const { top, height } = layout[pane];
    if (height > 0 && y >= top && y < top + height) return pane;
  }
  return null;
}

const ROLES: Readonly<Record<LaneRole, string>> = {
  stepping: "Main thread",
  backward: "Backward",
  compute: "Compute",
  communication: "Communication",
  copy: "Copies",
};

export interface LaneName {
  first: string;
  /** The end of its first name that tells it from others with its role. */
  stream: string;
  second: string;
}

/** What a lane is called, in parts. */
export function laneName({ role, stream, label }: LaneInfo): LaneName {
  if (role === null) return { first: label, stream: "", second: "" };
  return { first: ROLES[role], stream: stream === null ? "" : ` · ${stream}`, second: label };
}

/** What a lane is called first, and what second. */
export function laneTitle(lane: LaneInfo): [string, string] {
  const { first, stream, second } = laneName(lane);
  return [first + stream, second];
}
