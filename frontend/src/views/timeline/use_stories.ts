import { useMemo, useState } from "preact/hooks";
import type { Report, Timeline } from "../../api/types";
import { longestSpan, storiesOf, type Story } from "../../model/timeline/story";
import { around, type View } from "../../model/timeline/view";
import type { Camera } from "../../state/timeline/camera";
import type { Go } from "../../state/use_place";

const ROOM = 0.8;

export interface Stories {
  stories: readonly Story[];
  /** Number of the one that was shown last. */
  shownStory: number | null;
  showStory: (story: Story) => void;
}

interface Given {
  timeline: Timeline;
  report: Report;
  camera: Camera;
  /** The step that a story is told in where it has an event there. */
  step: View;
  go: Go;
}

/** The findings that have a place on the timeline, and how one is shown. */
export function useStories({ timeline, report, camera, step, go }: Given): Stories {
  const [shownStory, setShownStory] = useState<number | null>(null);
  const stories = useMemo(() => storiesOf(timeline, report), [timeline, report]);
  const showStory = (story: Story): void => {
    const span = longestSpan(story, step);
    setShownStory(story.number);
    go({ ev: `${span.event}`, finding: story.key });
    camera.jump(around(span.start_us, span.start_us + span.duration_us, ROOM, camera.whole));
  };
  return { stories, shownStory, showStory };
}
