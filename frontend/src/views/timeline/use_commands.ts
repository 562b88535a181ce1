// What the keys, and the buttons that do the same, do.

import { useCallback, useRef } from "preact/hooks";
import type { EventRef, Timeline } from "../../api/types";
import { across, beside, trackOf, type Rectangle } from "../../model/timeline/find";
import type { Story } from "../../model/timeline/story";
import { around, moved, spanOf, zoomed, type View } from "../../model/timeline/view";
import type { Camera } from "../../state/timeline/camera";
import type { Command } from "./timeline_keys";
import type { Chosen } from "./use_selection";
import type { Stage } from "./use_stage";

export interface Means {
  timeline: Timeline;
  camera: Camera;
  stage: Stage;
  chosen: Chosen;
  measure: View | null;
  stories: readonly Story[];
  shownStory: number | null;
  /** The step that `F` fits where nothing is chosen. */
  step: View;
  show: (event: EventRef) => void;
  press: (found: Rectangle) => void;
  showStory: (story: Story) => void;
  onSearch: () => void;
  onTable: () => void;
  /** Drops the measured range or the choice; false where there is neither. */
  drop: () => boolean;
}

const ZOOM = 0.7;
const MOVE = 0.15;
const ROOM = 1.5;

function middleOf(view: View): number {
  return (view.from + view.to) / 2;
}

function zoom({ camera, chosen }: Means, factor: number): void {
  const event = chosen.selection?.event;
  const middle = event ? event.start_us + event.duration_us / 2 : middleOf(camera.view);
  const seen = middle >= camera.view.from && middle <= camera.view.to;
  camera.set(zoomed(camera.view, seen ? middle : middleOf(camera.view), factor, camera.whole));
}

function along({ camera, stage, chosen, press }: Means, by: 1 | -1): void {
  const event = chosen.selection?.event;
  const picture = stage.picture();
  const track = event && picture && trackOf(picture.block, event.lane, event.row);
  const found = track && beside(picture.block, track, event.start_us, by);
  if (found) press(found);
  else camera.set(moved(camera.view, by * MOVE * spanOf(camera.view), camera.whole));
}

function acrossLanes({ camera, stage, chosen, press }: Means, by: 1 | -1): void {
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

function fit({ camera, chosen, measure, step }: Means): void {
  const event = chosen.selection?.event;
  if (measure) camera.jump(measure);
  else if (event) camera.jump(around(event.start_us, event.start_us + event.duration_us, ROOM, camera.whole));
  else camera.jump(step);
}

function link({ chosen, show }: Means): void {
  const { selection } = chosen;
  const first = selection?.links[0];
  if (selection && first) show(first.call.event === selection.event.event ? first.work : first.call);
}

function story(means: Means, by: 1 | -1): void {
  const { stories, shownStory, showStory } = means;
  const at = stories.findIndex((each) => each.number === shownStory);
  const next = stories[at < 0 ? (by > 0 ? 0 : stories.length - 1) : at + by];
  if (next) showStory(next);
}

const ACTS: Readonly<Record<Command, (means: Means) => void>> = {
  in: (means) => zoom(means, ZOOM),
  out: (means) => zoom(means, 1 / ZOOM),
  left: ({ camera }) => camera.set(moved(camera.view, -MOVE * spanOf(camera.view), camera.whole)),
  right: ({ camera }) => camera.set(moved(camera.view, MOVE * spanOf(camera.view), camera.whole)),
  next: (means) => along(means, 1),
  previous: (means) => along(means, -1),
  up: (means) => acrossLanes(means, -1),
  down: (means) => acrossLanes(means, 1),
  fit,
  whole: ({ camera }) => camera.jump(camera.whole),
  link,
  search: ({ onSearch }) => onSearch(),
  back: (means) => {
    if (!means.drop()) means.camera.back();
  },
  table: ({ onTable }) => onTable(),
  nextStory: (means) => story(means, 1),
  previousStory: (means) => story(means, -1),
};

/** Obeys a command; the same function at all times. */
export function useCommands(means: Means): (command: Command) => void {
  const newest = useRef(means);
  newest.current = means;
  return useCallback((command) => ACTS[command](newest.current), []);
}
