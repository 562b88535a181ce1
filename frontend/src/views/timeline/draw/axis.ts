// Times and steps, above the lanes.

import { AXIS_HEIGHT } from "../../../model/timeline/layout";
import { ticksOf } from "../../../model/timeline/ticks";
import { setFont } from "./rectangles";
import { xOf, type Brush } from "./scene";

const TICK_ROOM = 105;
const TICK_Y = 30;
const STEP_TOP = 39;
const STEP_HEIGHT = 15;

export function drawGrid(brush: Brush): void {
  const { ctx, scene } = brush;
  ctx.fillStyle = scene.palette.surface;
  ctx.fillRect(0, 0, scene.width, scene.layout.height);
  const { view, zero_us } = scene;
  const counted = { from: view.from - zero_us, to: view.to - zero_us };
  const ticks = ticksOf(counted, scene.width / TICK_ROOM);
  setFont(brush, false, 11);
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (const tick of ticks) {
    const x = Math.round(xOf(brush, tick.at_us + zero_us));
    ctx.fillStyle = scene.palette.line;
    ctx.fillRect(x, STEP_TOP, 1, scene.layout.height);
    ctx.fillStyle = scene.palette.text3;
    if (x + scene.labels.measure(tick.label) < scene.width && x > -2) ctx.fillText(tick.label, x + 3, TICK_Y);
  }
}

/** The steps, and which of them are not settled. */
export function drawSteps(brush: Brush): void {
  const { ctx, scene } = brush;
  const { palette, timeline, width } = scene;
  setFont(brush, true, 11);
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  for (const step of timeline.steps) {
    const left = Math.max(-1, xOf(brush, step.start_us));
    const right = Math.min(width + 1, xOf(brush, step.start_us + step.duration_us));
    if (right <= 0 || left >= width) continue;
    const wide = Math.max(1, right - left);
    ctx.fillStyle = palette.raised;
    ctx.fillRect(left, STEP_TOP, wide, STEP_HEIGHT);
    if (step.settled === false) {
      ctx.fillStyle = palette.unsettled;
      ctx.fillRect(left, STEP_TOP, wide, STEP_HEIGHT);
    }
    ctx.fillStyle = palette.lineStrong;
    ctx.fillRect(left, STEP_TOP, 1, AXIS_HEIGHT - STEP_TOP);
    ctx.fillRect(right - 1, STEP_TOP, 1, AXIS_HEIGHT - STEP_TOP);
    const name = step.number === null ? "Whole recording" : `Step ${step.number}`;
    const text = scene.labels.fit(step.settled === false ? `${name}, not settled` : name, wide - 10);
    if (text === null) continue;
    if (step.settled === false) {
      ctx.fillStyle = palette.surface;
      ctx.fillRect(Math.max(0, left) + 3, STEP_TOP + 1, scene.labels.measure(text) + 6, STEP_HEIGHT - 2);
    }
    ctx.fillStyle = palette.text;
    ctx.fillText(text, Math.max(0, left) + 5, STEP_TOP + STEP_HEIGHT / 2 + 0.5);
  }
}
