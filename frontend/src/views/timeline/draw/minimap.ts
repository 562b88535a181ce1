// The whole recording, a line for the threads and one for the streams, and which part is in sight.

import { LOOKS } from "../../../model/timeline/looks";
import { WAIT, type Picture } from "../../../model/timeline/picture";
import { spanOf, type View } from "../../../model/timeline/view";
import type { Paint } from "./palette";
import type { Scene } from "./scene";

export const MINIMAP_HEIGHT = 40;
const LINES = { cpu: [6, 11], gpu: [23, 11] } as const;
const HANDLE = 6;

/** As in the drawing; steps, which are an outline there, have the colour of annotations. */
function paintOf({ palette }: Scene, look: number, wait: number): Paint {
  if (wait === WAIT) return palette.shades.wait_gpu_busy;
  return palette.looks[look === LOOKS.indexOf("step") ? LOOKS.indexOf("annotation") : look]!;
}

/** The thread of the steps last, its deepest rows on top: these show what ran. */
function drawOverview(ctx: CanvasRenderingContext2D, scene: Scene, picture: Picture, whole: View): void {
  const { block, looks, waits } = picture;
  const scale = scene.width / spanOf(whole);
  for (const track of [...block.tracks].sort((a, b) => b.lane - a.lane || a.row - b.row)) {
    const lane = scene.timeline.lanes[track.lane];
    if (!lane || lane.kind === "other" || lane.kind === "overhead") continue;
    const [top, height] = LINES[lane.kind === "stream" ? "gpu" : "cpu"];
    for (let i = track.first; i < track.end; i += 1) {
      const left = (block.start[i]! + block.from_us - whole.from) * scale;
      const wide = Math.max(0.5, (block.end[i]! - block.start[i]!) * scale);
      ctx.globalAlpha = block.ref[i]! < 0 ? 0.3 + (0.7 * block.fill[i]!) / 255 : 1;
      ctx.fillStyle = paintOf(scene, looks[i]!, waits[i]!);
      ctx.fillRect(left, top, wide, height);
    }
  }
  ctx.globalAlpha = 1;
  for (const run of block.shades) {
    const shade = scene.timeline.shades[run.shade];
    if (shade?.cause !== "closing_wait" && shade?.cause !== "sync_bubble") continue;
    const [top, height] = LINES[shade.lane === null ? "gpu" : "cpu"];
    ctx.fillStyle = scene.palette.shades[shade.cause];
    for (let i = run.first; i < run.end; i += 1) {
      const left = (block.shadeStart[i]! + block.from_us - whole.from) * scale;
      ctx.fillRect(left, top, Math.max(1, (block.shadeEnd[i]! - block.shadeStart[i]!) * scale), height);
    }
  }
}

function drawWindow(ctx: CanvasRenderingContext2D, scene: Scene, whole: View): void {
  const scale = scene.width / spanOf(whole);
  const left = (scene.view.from - whole.from) * scale;
  const right = Math.max(left + 3, (scene.view.to - whole.from) * scale);
  ctx.fillStyle = scene.palette.surface;
  ctx.globalAlpha = 0.6;
  ctx.fillRect(0, 0, left, MINIMAP_HEIGHT);
  ctx.fillRect(right, 0, scene.width - right, MINIMAP_HEIGHT);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = scene.palette.text;
  ctx.lineWidth = 1;
  ctx.strokeRect(left + 0.5, 1.5, right - left - 1, MINIMAP_HEIGHT - 4);
  ctx.fillStyle = scene.palette.text;
  for (const x of [left, right]) ctx.fillRect(x - 1.5, MINIMAP_HEIGHT / 2 - HANDLE, 3, 2 * HANDLE);
}

/** Gives what does not change while the reader pans, to be drawn once. */
export function drawMinimapBack(ctx: CanvasRenderingContext2D, scene: Scene, whole: View): void {
  ctx.fillStyle = scene.palette.raised;
  ctx.fillRect(0, 0, scene.width, MINIMAP_HEIGHT);
  if (scene.overview) drawOverview(ctx, scene, scene.overview, whole);
}

export function drawMinimap(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  whole: View,
  back: HTMLCanvasElement,
): void {
  ctx.drawImage(back, 0, 0, scene.width, MINIMAP_HEIGHT);
  drawWindow(ctx, scene, whole);
}
