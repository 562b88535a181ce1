// Between the address and the camera: where the reader begins, is led to, and is.

import { useEffect, useMemo, useRef } from "preact/hooks";
import type { EventRef, Report, Timeline } from "../../api/types";
import { stepIndex } from "../../model/steps";
import { around, parseView, revealing, wholeView, writeView, type View } from "../../model/timeline/view";
import { Camera } from "../../state/timeline/camera";
import type { Place } from "../../state/place";
import type { Go } from "../../state/use_place";
import { eventOf } from "./use_selection";

const STEP_ROOM = 0.02;

/** The range of the step that the reader looks at. */
export function stepView(timeline: Timeline, report: Report, place: Place): View {
  const whole = wholeView(timeline.start_us, timeline.end_us);
  const step = timeline.steps[stepIndex(report, place.step)] ?? timeline.steps[0];
  return step ? around(step.start_us, step.start_us + step.duration_us, STEP_ROOM, whole) : whole;
}

export function useCamera(timeline: Timeline, report: Report, place: Place): Camera {
  const camera = useMemo(() => {
    const whole = wholeView(timeline.start_us, timeline.end_us);
    return new Camera(parseView(place.at) ?? stepView(timeline, report, place), whole);
  }, [timeline]);
  useEffect(() => () => camera.dispose(), [camera]);
  return camera;
}

interface Route {
  camera: Camera;
  timeline: Timeline;
  report: Report;
  place: Place;
  go: Go;
  /** The chosen event, as soon as it is known where it is. */
  event: EventRef | null;
}

/** Writes the view into the address once it rests, and goes where the address leads. */
export function useTravel({ camera, timeline, report, place, go, event }: Route): void {
  const written = useRef(place.at);
  const revealed = useRef(place.at === null ? null : eventOf(place.ev));
  const step = useRef(place.step);
  useEffect(
    () =>
      camera.listen(
        () => undefined,
        () => {
          written.current = writeView(camera.view);
          go({ at: written.current });
        },
      ),
    [camera, go],
  );
  useEffect(() => {
    const to = parseView(place.at);
    if (place.at === written.current || to === null) return;
    written.current = place.at;
    camera.jump(to);
  }, [place.at]);
  useEffect(() => {
    if (place.step === step.current) return;
    step.current = place.step;
    camera.jump(stepView(timeline, report, place));
  }, [place.step]);
  useEffect(() => {
    if (event === null || revealed.current === event.event) return;
    revealed.current = event.event;
    const to = revealing(camera.view, event.start_us, event.duration_us, camera.whole);
    if (to !== camera.view) camera.jump(to);
  }, [event?.event]);
}
