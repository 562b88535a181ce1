// What the keys, and the buttons that do the same, do.

import { useCallback, useRef } from "preact/hooks";
import type { EventRef, Timeline } from "../../api/types";
import type { Rectangle } from "../../model/timeline/find";
import type { Story } from "../../model/timeline/story";
import { around, type View } from "../../model/timeline/view";
import type { Camera } from "../../state/timeline/camera";
import { MOVES } from "./moves";
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
  onTable: () => void;
  /** Drops the measured range or the choice; false where there is neither. */
  drop: () => boolean;
}

const ROOM = 1.5;

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
  ...MOVES,
  fit,
  link,
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
