// Which part of two timelines is laid one upon the other.

import type { StepSpan, Timeline } from "../../api/types";
import type { View } from "./view";

const ROOM = 0.03;

/** The step of a number; where steps are not numbered, the whole recording. */
export function stepOf(timeline: Pick<Timeline, "steps">, number: number | null): StepSpan | null {
  return timeline.steps.find((step) => step.number === number) ?? timeline.steps[0] ?? null;
}

/** From just before both steps begin to just after the longer one ends, counted from their start. */
export function bothSteps(steps: readonly StepSpan[]): View {
  const length = Math.max(...steps.map((step) => step.duration_us), 0.1);
  return { from: -ROOM * length, to: (1 + ROOM) * length };
}

/** Lanes that begin folded: all threads but those that make the steps, or run the backward pass. */
export function foldedBeside(lanes: Timeline["lanes"]): Set<number> {
  const folded = lanes.filter((lane) => lane.kind !== "stream" && lane.role === null);
  return new Set(folded.map((lane) => lane.id));
}
