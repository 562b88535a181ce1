import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { timelineAddress, type TimelineAnswer } from "../../api/timeline";
import { useAnswer } from "../../state/timeline/use_answer";
import type { ScreenProps } from "../screens";
import { Pending, Unreached } from "../states";
import { TimelineView } from "./timeline_view";

/** The timeline of a file: what ran when, on which thread and which stream, and why it waited. */
export function TimelineScreen(props: ScreenProps): JSX.Element {
  const { shown } = props;
  const [attempt, setAttempt] = useState(0);
  const retry = (): void => setAttempt(attempt + 1);
  const { answer, problem } = useAnswer<TimelineAnswer>(timelineAddress(shown.file.id), attempt);
  if (problem !== null) return <Unreached problem={problem} onRetry={retry} />;
  if (answer?.state !== "ready") return <Pending answer={answer} file={shown.file} onRetry={retry} />;
  if (answer.timeline.lanes.length === 0)
    return <p class="tl-nothing">This file has no event with a time.</p>;
  return <TimelineView key={shown.file.id} timeline={answer.timeline} {...props} />;
}
