// What keys do on any drawing of a timeline: zoom, move, and choose the event beside.

import { across, beside, trackOf, type Rectangle } from "../../model/timeline/find";
import { moved, spanOf, zoomed, type View } from "../../model/timeline/view";
import type { Camera } from "../../state/timeline/camera";
import type { Command } from "./timeline_keys";
import type { Chosen } from "./use_selection";
import type { Stage } from "./use_stage";

export interface Moved {
  camera: Camera;
  stage: Pick<Stage, "picture" | "layout">;
  chosen: Pick<Chosen, "selection">;
  press: (found: Rectangle) => void;
}

const ZOOM = 0.7;
const MOVE = 0.15;

function middleOf(view: View): number {
  return (view.from + view.to) / 2;
}

function zoom({ camera, chosen }: Moved, factor: number): void {
  const event = chosen.selection?.event;
  const middle = event ? event.start_us + event.duration_us / 2 : middleOf(camera.view);
  const seen = middle >= camera.view.from && middle <= camera.view.to;
  camera.set(zoomed(camera.view, seen ? middle : middleOf(camera.view), factor, camera.whole));
}

function along({ camera, stage, chosen, press }: Moved, by: 1 | -1): void {
  const event = chosen.selection?.event;
  const picture = stage.picture();
  const track = event && picture && trackOf(picture.block, event.lane, event.row);
  const found = track && beside(picture.block, track, event.start_us, by);
  if (found) press(found);
  else camera.set(moved(camera.view, by * MOVE * spanOf(camera.view), camera.whole));
}

function acrossLanes({ camera, stage, chosen, press }: Moved, by: 1 | -1): void {
  const event = chosen.selection?.event ?? null;
  const picture = stage.picture();
  if (!picture) return;
  const { view } = camera;
  const seen = event && event.start_us < view.to && event.start_us + event.duration_us > view.from;
  const from = event ? Math.max(event.start_us, view.from) : 0;
  const to = event ? Math.min(event.start_us + event.duration_us, view.to) : 0;
  const at_us = seen ? (from + to) / 2 : middleOf(view);
  const found = across(picture.block, stage.layout, event, at_us, by, view);
  if (found) press(found);
}

export const MOVES = {
  in: (means) => zoom(means, ZOOM),
  out: (means) => zoom(means, 1 / ZOOM),
  left: ({ camera }) => camera.set(moved(camera.view, -MOVE * spanOf(camera.view), camera.whole)),
  right: ({ camera }) => camera.set(moved(camera.view, MOVE * spanOf(camera.view), camera.whole)),
  next: (means) => along(means, 1),
  previous: (means) => along(means, -1),
  up: (means) => acrossLanes(means, -1),
  down: (means) => acrossLanes(means, 1),
  whole: ({ camera }) => camera.jump(camera.whole),
} satisfies Partial<Record<Command, (means: Moved) => void>>;
