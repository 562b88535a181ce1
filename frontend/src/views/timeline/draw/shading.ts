// Waits, idle devices by cause, and the profiler: drawn from the intervals of the window.

import type { Shade, ShadeCause } from "../../../api/types";
import { time } from "../../../model/format";
import type { ShadeRun } from "../../../model/timeline/block";
import type { LaneBox, Layout } from "../../../model/timeline/layout";
import { rowY } from "../../../model/timeline/layout";
import type { Picture } from "../../../model/timeline/picture";
import { boxOf, type Brush } from "./scene";
import { setFont } from "./rectangles";

/** What stands in an idle time that has room for it. */
const IDLE_WORDS: Partial<Record<ShadeCause, string>> = {
  sync_bubble: "refill bubble",
  host: "idle: CPU not ready",
  input: "idle: input",
  dependency: "idle: other stream",
  launch: "idle: queued",
  unknown: "idle: no cause recorded",
  profiler: "idle: profiler",
};
const VEIL = 0.16;

interface Interval {
  left: number;
  right: number;
  length_us: number;
  index: number;
}

/** The intervals of one cause that are in sight, at least a pixel wide. */
function* seen({ scene, scale }: Brush, picture: Picture, run: ShadeRun): Generator<Interval> {
  const { block } = picture;
  const shift = block.from_us - scene.view.from;
  for (let i = run.first; i < run.end; i += 1) {
    const from = (block.shadeStart[i]! + shift) * scale;
    const to = (block.shadeEnd[i]! + shift) * scale;
    if (to < 0 || from > scene.width) continue;
    const left = Math.max(-2, Math.round(from));
    const right = Math.max(left + 1, Math.min(scene.width + 2, Math.round(to)));
    yield { left, right, length_us: block.shadeEnd[i]! - block.shadeStart[i]!, index: i };
  }
}

type Draw = (run: ShadeRun, shade: Shade) => void;

function eachShade({ scene }: Brush, draw: Draw): void {
  for (const run of scene.picture?.block.shades ?? []) {
    const shade = scene.timeline.shades[run.shade];
    if (shade) draw(run, shade);
  }
}

/** Top and bottom of the work on each stream of a device. */
function deviceRows(brush: Brush, device: number): [number, number][] {
  const { layout, scrolls } = brush.scene;
  const shift = layout.gpu.top - scrolls.gpu;
  return layout.boxes
    .filter((box) => box.pane === "gpu" && box.lane.device === device)
    .map((box) => [shift + box.workTop, shift + box.top + box.height - 1]);
}

function outline({ ctx, scene }: Brush, cause: ShadeCause, area: [number, number, number, number]): void {
  if (cause !== "sync_bubble" && cause !== "unknown") return;
  const [left, top, wide, height] = area;
  ctx.strokeStyle = cause === "sync_bubble" ? scene.palette.bubble : scene.palette.lineStrong;
  ctx.setLineDash(cause === "unknown" ? [3, 3] : []);
  if (wide > 5) ctx.strokeRect(left + 0.5, top + 0.5, wide - 1, height - 1);
  else if (cause === "sync_bubble") {
    ctx.fillStyle = scene.palette.bubble;
    ctx.fillRect(left, top, Math.max(1.5, wide), height);
  }
  ctx.setLineDash([]);
}

/** What an idle time is called and how long it is, the more the more room there is. */
function idleLabel(brush: Brush, cause: ShadeCause, interval: Interval): string | null {
  const amount = time(interval.length_us);
  const { measure } = brush.scene.labels;
  const room = Math.min(interval.right, brush.scene.width) - Math.max(0, interval.left) - 14;
  return [`${IDLE_WORDS[cause] ?? ""} ${amount}`, amount].find((text) => measure(text) <= room) ?? null;
}

function drawIdleLabel(brush: Brush, text: string, interval: Interval, middle: number): void {
  const { ctx, scene } = brush;
  const left = Math.max(0, interval.left) + 5;
  ctx.fillStyle = scene.palette.surface;
  ctx.fillRect(left, middle - 8, scene.labels.measure(text) + 6, 16);
  ctx.fillStyle = scene.palette.text2;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText(text, left + 3, middle + 0.5);
}

/** Idle times of devices, behind the rows of their streams; on the first of them in words. */
export function drawIdle(brush: Brush): void {
  const { ctx, scene } = brush;
  const { picture } = scene;
  if (!picture) return;
  setFont(brush);
  eachShade(brush, (run, shade) => {
    const streams = shade.device === null ? [] : deviceRows(brush, shade.device);
    // Where no cause is known there is nothing to be seen on every stream.
    const rows = shade.cause === "unknown" ? streams.slice(0, 1) : streams;
    for (const interval of seen(brush, picture, run)) {
      const wide = interval.right - interval.left;
      for (const [top, bottom] of rows) {
        ctx.fillStyle = scene.palette.shades[shade.cause];
        ctx.fillRect(interval.left, top, wide, bottom - top);
        outline(brush, shade.cause, [interval.left, top, wide, bottom - top]);
      }
      const text = wide > 44 ? idleLabel(brush, shade.cause, interval) : null;
      if (text !== null && rows[0]) drawIdleLabel(brush, text, interval, (rows[0][0] + rows[0][1]) / 2);
    }
  });
}

const isWait = (cause: ShadeCause): boolean => cause.startsWith("wait_");

/** From the row of a call that waits down to the end of its pane, and through the streams. */
function waitColumn(layout: Layout, box: LaneBox, top: number): [number, number][] {
  const { cpu, gpu } = layout;
  const end = cpu.top + cpu.height;
  const begin = Math.max(cpu.top, Math.min(top, end));
  return [
    [begin, gpu.height > 0 && box.pane === "cpu" ? gpu.top : end],
    [gpu.top, gpu.top + gpu.height],
  ];
}

/** Behind everything: what waits, down to the streams that it waits for; and when the profiler worked. */
export function drawWaitColumns(brush: Brush): void {
  const { ctx, scene } = brush;
  const { picture, layout, scrolls, palette } = scene;
  if (!picture) return;
  // One path, so that no part is shaded twice.
  ctx.beginPath();
  eachShade(brush, (run, shade) => {
    const box = shade.lane === null ? undefined : boxOf(layout, shade.lane);
    if (!box || !isWait(shade.cause)) return;
    for (const { left, right, index } of seen(brush, picture, run)) {
      const row = Math.max(0, picture.shadeRow[index]!);
      const top = rowY(layout, box, row, scrolls) + (box.rowHeight[row] ?? 0);
      for (const [from, to] of waitColumn(layout, box, top)) ctx.rect(left, from, right - left, to - from);
    }
  });
  ctx.fillStyle = palette.shades.wait_gpu_busy;
  ctx.globalAlpha = VEIL;
  ctx.fill();
  ctx.globalAlpha = 1;
  eachShade(brush, (run, shade) => {
    if (shade.cause === "profiler_work") drawProfiler(brush, run);
  });
}

function drawProfiler(brush: Brush, run: ShadeRun): void {
  const { ctx, scene } = brush;
  const { cpu, gpu } = scene.layout;
  ctx.fillStyle = scene.palette.shades.profiler_work;
  ctx.globalAlpha = 0.35;
  for (const { left, right } of seen(brush, scene.picture!, run)) {
    ctx.fillRect(left, cpu.top, right - left, cpu.height);
    ctx.fillRect(left, gpu.top, right - left, gpu.height);
  }
  ctx.globalAlpha = 1;
}

/** On the rows of the calls that wait: what the GPU did meanwhile. */
export function drawWaits(brush: Brush): void {
  const { ctx, scene } = brush;
  const { picture, layout, scrolls, palette } = scene;
  if (!picture) return;
  eachShade(brush, (run, shade) => {
    const box = shade.lane === null ? undefined : boxOf(layout, shade.lane);
    if (!box) return;
    for (const { left, right, index } of seen(brush, picture, run)) {
      const row = picture.shadeRow[index]!;
      if (row < 0) continue;
      const [top, height] = [rowY(layout, box, row, scrolls), box.rowHeight[row] ?? 0];
      ctx.fillStyle = palette.shades[shade.cause];
      ctx.fillRect(left, top, right - left, height);
    }
  });
}
