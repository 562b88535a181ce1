import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { timelineAddress, type TimelineAnswer } from "../../api/timeline";
import type { Comparison, EventRef, SideName, StepSpan, Timeline } from "../../api/types";
import type { Picked } from "../../model/files";
import { time } from "../../model/format";
import { LETTERS, type Sides } from "../../model/sides";
import { bothSteps, foldedBeside, stepOf } from "../../model/timeline/aligned";
import { eventOfRectangle, type Rectangle } from "../../model/timeline/find";
import { around, spanOf, writeView, type View } from "../../model/timeline/view";
import type { Camera } from "../../state/timeline/camera";
import { linkedCameras, shifted } from "../../state/timeline/linked";
import { useAnswer } from "../../state/timeline/use_answer";
import type { Go } from "../../state/use_place";
import { Name } from "../../ui/text";
import { MOVES } from "../timeline/moves";
import { StageView } from "../timeline/stage_view";
import { commandOf } from "../timeline/timeline_keys";
import { useFolded } from "../timeline/use_folded";
import { useSelection, type Chosen } from "../timeline/use_selection";
import { useStage } from "../timeline/use_stage";

const NAMES: readonly SideName[] = ["baseline", "candidate"];
const MERGED_ROOM = 0.3;

interface Side {
  name: SideName;
  picked: Picked;
  timeline: Timeline;
  step: StepSpan;
  camera: Camera;
}

function titleOf({ step }: Side): string {
  return step.number === null ? "whole recording" : `step ${step.number}`;
}

interface ChosenProps {
  side: Side;
  chosen: Chosen;
  go: Go;
}

/** What is chosen on one side, and the way to all that is known of it. */
function ChosenLine({ side, chosen, go }: ChosenProps): JSX.Element {
  const { answer, selection } = chosen;
  if (selection === null)
    return <p class="hint aligned-chosen">Press a rectangle, or reach one with the arrow keys.</p>;
  const { event } = selection;
  const { run, worker, file } = side.picked;
  const open = (): void =>
    go({
      ...{ tab: "timeline", run: run.name, worker, file: file.id, step: null },
      ...{ ev: `${event.event}`, at: writeView(side.camera.view) },
    });
  return (
    <p class="aligned-chosen">
      {answer && <b>{answer.explanation.human} </b>}
      <Name text={answer?.details.full_name ?? event.name} mono />
      <span class="num">
        {time(event.duration_us)}, {time(event.start_us - side.step.start_us)} after the start
      </span>
      <button type="button" class="link" onClick={open}>
        On the timeline
      </button>
    </p>
  );
}

interface SideProps {
  side: Side;
  measure: View | null;
  onMeasure: (range: View | null) => void;
  onFit: () => void;
  go: Go;
}

function SideStage({ side, measure, onMeasure, onFit, go }: SideProps): JSX.Element {
  const { name, picked, timeline, camera, step } = side;
  const [folded, fold] = useFolded(() => foldedBeside(timeline.lanes));
  const [seen, setSeen] = useState<EventRef | null>(null);
  const chosen = useSelection(picked.file.id, seen === null ? null : `${seen.event}`, seen);
  const zero_us = step.start_us;
  const stage = useStage(picked.file.id, timeline, camera, folded, {
    ...{ zero_us, stories: [], selection: chosen.selection, query: "" },
    part: null,
    measure: measure && shifted(measure, zero_us),
  });
  const press = (found: Rectangle | null): void => {
    if (found === null) setSeen(null);
    else if (found.event !== null) setSeen(eventOfRectangle(found, found.event));
    else camera.jump(around(found.start_us, found.end_us, MERGED_ROOM, camera.whole));
  };
  const pressKey = (event: KeyboardEvent): void => {
    const command = commandOf(event);
    if (command === "fit") onFit();
    else if (command === "back" && (seen !== null || measure !== null)) {
      setSeen(null);
      onMeasure(null);
    } else if (command !== null && command in MOVES) {
      MOVES[command as keyof typeof MOVES]({ camera, stage, chosen, press });
    } else return;
    event.preventDefault();
  };
  const view = shifted(camera.view, -zero_us);
  const about = `${LETTERS[name]}, ${titleOf(side)}: timeline from ${time(view.from)} to ${time(view.to)} after its start`;
  return (
    <section class="aligned-side" aria-label={`Timeline of ${LETTERS[name]}`} onKeyDown={pressKey}>
      <header>
        <span class={`side-letter ${name}`}>{LETTERS[name]}</span>
        <Name text={picked.run.name} />
        <span class="dim">
          {titleOf(side)}, {time(step.duration_us)}
        </span>
        {stage.problem !== null && <span class="dim">Not all events could be fetched: {stage.problem}.</span>}
      </header>
      <StageView
        stage={stage}
        camera={camera}
        label={about}
        scrolls
        onFold={fold}
        onPress={press}
        onMeasure={(range) => onMeasure(shifted(range, -zero_us))}
      />
      <ChosenLine side={side} chosen={chosen} go={go} />
    </section>
  );
}

interface BothProps {
  timelines: readonly Timeline[];
  steps: readonly StepSpan[];
  sides: Sides;
  go: Go;
}

function Both({ timelines, steps, sides, go }: BothProps): JSX.Element {
  const [measure, setMeasure] = useState<View | null>(null);
  const cameras = useMemo(() => {
    const aligned = timelines.map(({ start_us, end_us }, index) => ({
      ...{ start_us, end_us, zero_us: steps[index]!.start_us },
    }));
    return linkedCameras(aligned, bothSteps(steps));
  }, [timelines[0], timelines[1]]);
  useEffect(() => () => cameras.forEach((camera) => camera.dispose()), [cameras]);
  const fit = (): void => cameras[0]!.jump(shifted(measure ?? bothSteps(steps), steps[0]!.start_us));
  return (
    <>
      <div class="aligned-tools">
        <button type="button" class="tool" onClick={fit}>
          {measure ? "Zoom to measured" : "Both steps"}
        </button>
        {measure && (
          <span>
            Measured <b>{time(spanOf(measure))}</b>
          </span>
        )}
        <span class="spacer" />
        <span class="hint" aria-hidden="true">
          <kbd>W</kbd> <kbd>S</kbd> zoom <kbd>A</kbd> <kbd>D</kbd> move <kbd>F</kbd> both steps <kbd>⇧</kbd>{" "}
          drag measures; once pressed, the wheel zooms
        </span>
      </div>
      {NAMES.map((name, index) => (
        <SideStage
          key={name}
          side={{
            ...{ name, picked: sides[name], timeline: timelines[index]! },
            ...{ step: steps[index]!, camera: cameras[index]! },
          }}
          measure={measure}
          onMeasure={setMeasure}
          onFit={fit}
          go={go}
        />
      ))}
    </>
  );
}

function waitText(name: SideName, answer: TimelineAnswer | null, problem: string | null): string | null {
  if (problem !== null) return `The timeline of ${LETTERS[name]} cannot be fetched: ${problem}.`;
  if (answer?.state === "error")
    return `The timeline of ${LETTERS[name]} cannot be made: ${answer.error.message}`;
  if (answer?.state === "ready") return null;
  const share = answer?.state === "working" && answer.share !== null ? Math.round(100 * answer.share) : null;
  return `Making the timeline of ${LETTERS[name]}${share === null ? "" : `, ${share}\u202f% done`}…`;
}

export interface AlignedProps {
  comparison: Comparison;
  sides: Sides;
  go: Go;
}

/** The typical step of both runs on one axis that begins where the step begins; pan and zoom are common. */
export function AlignedView({ comparison, sides, go }: AlignedProps): JSX.Element {
  const asked = {
    baseline: useAnswer<TimelineAnswer>(timelineAddress(sides.baseline.file.id)),
    candidate: useAnswer<TimelineAnswer>(timelineAddress(sides.candidate.file.id)),
  };
  const waits = NAMES.flatMap((name) => waitText(name, asked[name].answer, asked[name].problem) ?? []);
  if (waits.length > 0)
    return (
      <div role="status">
        {waits.map((text) => (
          <p key={text} class="hint aligned-chosen">
            {text}
          </p>
        ))}
      </div>
    );
  const timelines = NAMES.flatMap((name) => {
    const { answer } = asked[name];
    return answer?.state === "ready" ? [answer.timeline] : [];
  });
  const typical = comparison.steps.typical;
  const steps = NAMES.flatMap((name, index) => stepOf(timelines[index]!, typical[name]) ?? []);
  if (steps.length < NAMES.length || timelines.some(({ lanes }) => lanes.length === 0))
    return <p class="hint aligned-chosen">One of the two files has no event with a time.</p>;
  return <Both timelines={timelines} steps={steps} sides={sides} go={go} />;
}
