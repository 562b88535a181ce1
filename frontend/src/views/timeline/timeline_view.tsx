import type { JSX } from "preact";
import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import type { EventRef, Timeline } from "../../api/types";
import { time } from "../../model/format";
import { eventOfRectangle, type Rectangle } from "../../model/timeline/find";
import { clampScroll, foldedAtFirst } from "../../model/timeline/layout";
import { longestSpan, storiesOf, storyOf, type Story } from "../../model/timeline/story";
import { around, type View } from "../../model/timeline/view";
import { useSearchWish } from "../../state/search_wish";
import type { ScreenProps } from "../screens";
import { Footer } from "./footer";
import { InViewCard } from "./in_view";
import { MinimapView } from "./minimap_view";
import { StageView } from "./stage_view";
import { StoryList } from "./story_list";
import { TableView } from "./table_view";
import { useTimelineKeys } from "./timeline_keys";
import { Toolbar } from "./toolbar";
import { useCommands } from "./use_commands";
import { useSelection } from "./use_selection";
import { useStage } from "./use_stage";
import { stepView, useCamera, useTravel } from "./use_travel";
import { WhatPanel } from "./what_panel";

const STORY_ROOM = 0.8;
const MERGED_ROOM = 0.3;
const GAP_ROOM = 0.6;

interface Props extends ScreenProps {
  timeline: Timeline;
}

/** Lanes, minimap, call-outs, and what is chosen. */
export function TimelineView({ timeline, report, shown, place, go, visible }: Props): JSX.Element {
  const file = shown.file.id;
  const field = useRef<HTMLInputElement>(null);
  const [folded, setFolded] = useState<ReadonlySet<number>>(() => foldedAtFirst(timeline.lanes));
  const [seen, setSeen] = useState<EventRef | null>(null);
  const [measure, setMeasure] = useState<View | null>(null);
  const [query, setQuery] = useState("");
  const [table, setTable] = useState(false);
  const [shownStory, setShownStory] = useState<number | null>(null);
  const camera = useCamera(timeline, report, place);
  const stories = useMemo(() => storiesOf(timeline, report), [timeline, report]);
  const chosen = useSelection(file, place.ev, seen);
  const selection = chosen.selection;
  const searched = query.trim().toLowerCase();
  const stage = useStage(file, timeline, camera, folded, {
    ...{ zero_us: 0, stories, selection, measure },
    query: searched,
  });
  useTravel({ camera, timeline, report, place, go, event: selection?.event ?? null });

  const choose = (event: EventRef): void => {
    setSeen(event);
    go({ ev: `${event.event}` });
    const box = stage.layout.boxes.find((each) => each.lane.id === event.lane);
    if (!box) return;
    const [top, { height }] = [box.rowTop[event.row] ?? 0, stage.layout[box.pane]];
    const at = clampScroll(stage.layout, box.pane, camera.scrolls[box.pane]);
    if (top < at || top + (box.rowHeight[event.row] ?? 0) > at + height)
      camera.scroll(box.pane, clampScroll(stage.layout, box.pane, top - height / 2));
  };
  const press = (found: Rectangle | null): void => {
    if (found === null) go({ ev: null });
    else if (found.event !== null) choose(eventOfRectangle(found, found.event));
    else camera.jump(around(found.start_us, found.end_us, MERGED_ROOM, camera.whole));
  };
  const story = storyOf(stories, timeline, chosen.event);
  const step = stepView(timeline, report, place);
  const showStory = (story: Story): void => {
    const span = longestSpan(story, step);
    setShownStory(story.number);
    go({ ev: `${span.event}` });
    camera.jump(around(span.start_us, span.start_us + span.duration_us, STORY_ROOM, camera.whole));
  };
  const drop = (): boolean => {
    const any = measure !== null || chosen.event !== null;
    if (measure !== null) setMeasure(null);
    else if (any) go({ ev: null });
    return any;
  };
  const fold = (lane: number): void => {
    const next = new Set(folded);
    if (!next.delete(lane)) next.add(lane);
    setFolded(next);
  };
  const obey = useCommands({
    ...{ timeline, camera, stage, chosen, measure, stories, shownStory, step },
    ...{ show: choose, press, showStory, drop },
    onTable: () => setTable(!table),
  });
  useTimelineKeys(visible, obey);
  useSearchWish(() => field.current?.focus());
  const onLeave = useCallback(() => stage.canvas.current?.focus(), []);
  const chosenWords = selection
    ? `${selection.event.name}, ${time(selection.event.duration_us)}`
    : "Nothing chosen";
  return (
    <div class="timeline">
      <h1 class="visually-hidden">Timeline</h1>
      <div class="tl-main">
        <StoryList
          stories={stories}
          others={report.findings.length - stories.length}
          shown={shownStory}
          onShow={showStory}
        />
        <Toolbar
          search={{ file, field, query, onQuery: setQuery, onShow: choose, onLeave }}
          after_us={selection?.event.start_us ?? camera.view.from}
          view={camera.view}
          measure={measure}
          table={table}
          problem={stage.problem}
          obey={obey}
        />
        <MinimapView canvas={stage.minimap} camera={camera} hasStreams={stage.layout.gpu.content > 0} />
        {table && (
          <TableView
            picture={stage.picture()}
            human={stage.human}
            lanes={timeline.lanes}
            view={camera.view}
            chosen={chosen.event}
            onChoose={press}
          />
        )}
        <StageView
          stage={stage}
          camera={camera}
          label={`Timeline from ${time(camera.view.from)} to ${time(camera.view.to)}. Press V for a table.`}
          onFold={fold}
          onPress={press}
          onMeasure={setMeasure}
        />
        <InViewCard
          file={file}
          camera={camera}
          lanes={timeline.lanes}
          onFind={setQuery}
          onShow={(range) => camera.jump(around(range.from, range.to, GAP_ROOM, camera.whole))}
        />
        <p class="visually-hidden" aria-live="polite">
          {chosenWords}
        </p>
        <Footer />
      </div>
      <WhatPanel file={file} chosen={chosen} timeline={timeline} story={story} onShow={choose} />
    </div>
  );
}
