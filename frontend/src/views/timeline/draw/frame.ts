// One frame, back to front.

import { drawGrid, drawSteps } from "./axis";
import { drawHover, drawMarkers, drawMeasure, drawPart, drawSelection } from "./overlay";
import { drawMatches, drawRectangles } from "./rectangles";
import { brushOf, inPane, type Brush, type Scene } from "./scene";
import { drawIdle, drawWaitColumns, drawWaits } from "./shading";

function drawHeadings({ ctx, scene }: Brush): void {
  const { layout, scrolls, palette, width } = scene;
  ctx.fillStyle = palette.line;
  for (const heading of layout.headings) {
    const pane = layout[heading.pane];
    const y = pane.top - scrolls[heading.pane] + heading.top;
    if (y >= pane.top && y < pane.top + pane.height) ctx.fillRect(0, y, width, 1);
  }
}

function drawPane(brush: Brush, pane: "cpu" | "gpu"): void {
  inPane(brush, pane, () => {
    if (pane === "gpu") drawIdle(brush);
    const drawNames = drawRectangles(brush, pane);
    if (pane === "cpu") drawWaits(brush);
    drawNames();
    drawMatches(brush, pane);
  });
}

export function drawFrame(ctx: CanvasRenderingContext2D, scene: Scene): void {
  const brush = brushOf(ctx, scene);
  drawGrid(brush);
  drawSteps(brush);
  drawWaitColumns(brush);
  drawHeadings(brush);
  drawPane(brush, "cpu");
  drawPane(brush, "gpu");
  drawMarkers(brush);
  drawHover(brush);
  drawSelection(brush);
  drawPart(brush);
  drawMeasure(brush);
}
