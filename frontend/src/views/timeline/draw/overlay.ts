// On top: call-outs, what is chosen and how it was launched, what is under the mouse, what is measured.

import type { EventRef } from "../../../api/types";
import { time } from "../../../model/format";
import { markersOf } from "../../../model/timeline/story";
import { spanOf } from "../../../model/timeline/view";
import { setFont } from "./rectangles";
import { areaOf, boxOf, inPane, xOf, type Brush } from "./scene";

const MARKER_Y = 11;
const MARKER_RADIUS = 8.5;
const MOST_LINKS = 12;

const timesOf = (event: EventRef): { lane: number; row: number; start_us: number; end_us: number } => ({
  ...{ lane: event.lane, row: event.row, start_us: event.start_us },
  end_us: event.start_us + event.duration_us,
});

export function drawMarkers(brush: Brush): void {
  const { ctx, scene } = brush;
  const { layout, palette } = scene;
  for (const marker of markersOf(scene.stories, scene.view, scene.width)) {
    const pane = layout[boxOf(layout, marker.lane)?.pane ?? "cpu"];
    ctx.strokeStyle = palette.verdicts[marker.verdict];
    ctx.lineWidth = 1;
    ctx.globalAlpha = 0.6;
    ctx.beginPath();
    ctx.moveTo(marker.labelX, MARKER_Y);
    ctx.lineTo(marker.x, MARKER_Y + 12);
    ctx.lineTo(marker.x, pane.top + 14);
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.fillStyle = palette.verdicts[marker.verdict];
    ctx.beginPath();
    ctx.arc(marker.labelX, MARKER_Y, MARKER_RADIUS, 0, 7);
    ctx.fill();
    ctx.fillStyle = palette.onVerdict;
    setFont(brush, true, 11);
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillText(`${marker.number}`, marker.labelX, MARKER_Y + 0.5);
  }
}

function frame(brush: Brush, at: Parameters<typeof areaOf>[1], line: number): void {
  const { ctx, scene } = brush;
  const area = areaOf(brush, at);
  const pane = boxOf(scene.layout, at.lane)?.pane;
  if (!area || !pane) return;
  const [left, top, wide, height] = area;
  inPane(brush, pane, () => {
    ctx.strokeStyle = scene.palette.text;
    ctx.lineWidth = line;
    ctx.strokeRect(left - 0.5, top + 0.5, Math.max(2, wide), height - 1);
  });
}

export function drawHover(brush: Brush): void {
  if (brush.scene.hover) frame(brush, brush.scene.hover, 1);
}

/** From the end of a call on its row to the start of its work on the GPU. */
function drawLink(brush: Brush, call: EventRef, work: EventRef): [number, number] | null {
  const { ctx, scene } = brush;
  const { layout } = scene;
  const edge = { ...timesOf(call), end_us: call.start_us };
  const from = areaOf(brush, edge);
  const to = areaOf(brush, timesOf(work));
  if (!to) return null;
  const x1 = xOf(brush, call.start_us);
  const y1 = from ? from[1] + from[3] : layout.cpu.top + layout.cpu.height;
  const [x2, y2] = [to[0], to[1]];
  const middle = (y1 + y2) / 2;
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.bezierCurveTo(x1, middle, x2, middle, x2, y2 - 3);
  ctx.stroke();
  ctx.beginPath();
  ctx.moveTo(x2, y2);
  ctx.lineTo(x2 - 4, y2 - 7);
  ctx.lineTo(x2 + 4, y2 - 7);
  ctx.fill();
  return [(x1 + x2) / 2, middle];
}

/** A frame around the chosen shaded part: on the streams of its device, or on the lane that waits. */
export function drawPart(brush: Brush): void {
  const { ctx, scene } = brush;
  const { part, layout, scrolls } = scene;
  if (!part) return;
  const left = xOf(brush, part.start_us);
  const wide = Math.max(2, xOf(brush, part.end_us) - left);
  for (const box of layout.boxes) {
    const isIts = part.device === null ? box.lane.id === part.lane : box.lane.device === part.device;
    if (!isIts) continue;
    const top = layout[box.pane].top - scrolls[box.pane] + box.workTop;
    inPane(brush, box.pane, () => {
      ctx.strokeStyle = scene.palette.text;
      ctx.lineWidth = 2;
      ctx.strokeRect(left - 0.5, top + 0.5, wide, box.top + box.height - box.workTop - 1);
    });
  }
}

/** A text on a small card, moved so that it stays in sight. */
function card(brush: Brush, text: string, x: number, y: number): void {
  const { ctx, scene } = brush;
  setFont(brush, true, 11.5);
  const wide = ctx.measureText(text).width + 12;
  const left = Math.min(Math.max(2, x - wide / 2), scene.width - wide - 2);
  ctx.fillStyle = scene.palette.surface;
  ctx.fillRect(left, y - 9, wide, 18);
  ctx.strokeStyle = scene.palette.lineStrong;
  ctx.lineWidth = 1;
  ctx.strokeRect(left + 0.5, y - 8.5, wide - 1, 17);
  ctx.fillStyle = scene.palette.text;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ctx.fillText(text, left + 6, y + 0.5);
}

export function drawSelection(brush: Brush): void {
  const { ctx, scene } = brush;
  const { selection, palette } = scene;
  if (!selection) return;
  frame(brush, timesOf(selection.event), 2);
  ctx.strokeStyle = ctx.fillStyle = palette.text;
  ctx.lineWidth = 1.5;
  let middle: [number, number] | null = null;
  for (const { call, work } of selection.links.slice(0, MOST_LINKS)) {
    const other = call.event === selection.event.event ? work : call;
    middle = drawLink(brush, call, work) ?? middle;
    frame(brush, timesOf(other), 1.5);
    ctx.strokeStyle = ctx.fillStyle = palette.text;
    ctx.lineWidth = 1.5;
  }
  if (middle && selection.latency_us !== null)
    card(brush, `launch latency ${time(selection.latency_us)}`, ...middle);
}

export function drawMeasure(brush: Brush): void {
  const { ctx, scene } = brush;
  const { measure, layout, palette } = scene;
  if (!measure) return;
  const [left, right] = [xOf(brush, measure.from), xOf(brush, measure.to)];
  ctx.fillStyle = palette.text;
  ctx.globalAlpha = 0.08;
  ctx.fillRect(left, 24, right - left, layout.height - 24);
  ctx.globalAlpha = 1;
  for (const x of [left, right]) ctx.fillRect(x - 0.5, 24, 1, layout.height - 24);
  ctx.fillRect(left, layout.cpu.top + 9, right - left, 1);
  card(brush, time(spanOf(measure)), (left + right) / 2, layout.cpu.top + 10);
}
