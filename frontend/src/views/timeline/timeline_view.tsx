import type { JSX } from "preact";
import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import type { EventRef, Timeline } from "../../api/types";
import { listFindings } from "../../model/findings";
import { time } from "../../model/format";
import { eventOfRectangle, type Rectangle } from "../../model/timeline/find";
import { clampScroll, foldedAtFirst, type Layout } from "../../model/timeline/layout";
import { writePart } from "../../model/timeline/part_address";
import { findingAbout, titleOf, type Shaded } from "../../model/timeline/shaded";
import { storyOf } from "../../model/timeline/story";
import { around, type View } from "../../model/timeline/view";
import type { Camera } from "../../state/timeline/camera";
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
import { useFolded } from "./use_folded";
import { usePart } from "./use_part";
import { usePanelInSight } from "./use_panel_in_sight";
import { useSelection } from "./use_selection";
import { useStage } from "./use_stage";
import { useStories } from "./use_stories";
import { stepView, useCamera, useTravel } from "./use_travel";
import { WhatPanel } from "./what_panel";

const MERGED_ROOM = 0.3;
const GAP_ROOM = 0.6;

/** Scrolls so that the row of an event is in sight. */
function scrollTo(layout: Layout, camera: Camera, event: EventRef): void {
  const box = layout.boxes.find((each) => each.lane.id === event.lane);
  if (!box) return;
  const [top, { height }] = [box.rowTop[event.row] ?? 0, layout[box.pane]];
  const at = clampScroll(layout, box.pane, camera.scrolls[box.pane]);
  if (top < at || top + (box.rowHeight[event.row] ?? 0) > at + height)
    camera.scroll(box.pane, clampScroll(layout, box.pane, top - height / 2));
}

/** What is chosen, for those who hear it. */
function Spoken({ event, part }: { event: EventRef | null; part: string | null }): JSX.Element {
  return (
    <p class="visually-hidden" aria-live="polite">
      {event ? `${event.name}, ${time(event.duration_us)}` : (part ?? "Nothing chosen")}
    </p>
  );
}

interface Props extends ScreenProps {
  timeline: Timeline;
}

/** Lanes, minimap, call-outs, and what is chosen. */
export function TimelineView({ timeline, report, shown, place, go, visible }: Props): JSX.Element {
  const file = shown.file.id;
  const field = useRef<HTMLInputElement>(null);
  const [folded, fold] = useFolded(() => foldedAtFirst(timeline.lanes));
  const [seen, setSeen] = useState<EventRef | null>(null);
  const [measure, setMeasure] = useState<View | null>(null);
  const [query, setQuery] = useState("");
  const [table, setTable] = useState(false);
  const camera = useCamera(timeline, report, place);
  const listed = useMemo(() => listFindings(report), [report]);
  const step = stepView(timeline, report, place);
  const { stories, shownStory, showStory } = useStories({ timeline, report, camera, step, go });
  const chosen = useSelection(file, place.ev, seen);
  const selection = chosen.selection;
  const [part, seePart] = usePart(file, place.ev, timeline);
  const searched = query.trim().toLowerCase();
  const stage = useStage(file, timeline, camera, folded, {
    ...{ zero_us: 0, stories, selection, part, measure },
    query: searched,
  });
  useTravel({ camera, timeline, report, place, go, event: selection?.event ?? null });

  const [presses, setPresses] = useState(0);
  const choose = (event: EventRef): void => {
    setPresses(presses + 1);
    setSeen(event);
    go({ ev: `${event.event}` });
    scrollTo(stage.layout, camera, event);
  };
  const chooseShaded = (part: Shaded | null): void => {
    if (part !== null) setPresses(presses + 1);
    seePart(part);
    go({ ev: part && writePart(part) });
  };
  const press = (found: Rectangle | null): void => {
    if (found === null) chooseShaded(null);
    else if (found.event !== null) choose(eventOfRectangle(found, found.event));
    else camera.jump(around(found.start_us, found.end_us, MERGED_ROOM, camera.whole));
  };
  const story = storyOf(stories, timeline, chosen.event);
  const entry = part ? findingAbout(listed, part) : story;
  const about = entry && {
    entry,
    number: stories.find(({ key }) => key === entry.key)?.number ?? null,
  };
  const panel = usePanelInSight(presses, part !== null || chosen.answer !== null);
  const drop = (): boolean => {
    const any = measure !== null || chosen.event !== null || part !== null;
    if (measure !== null) setMeasure(null);
    else if (any) chooseShaded(null);
    return any;
  };
  const obey = useCommands({
    ...{ timeline, camera, stage, chosen, measure, stories, shownStory, step },
    ...{ show: choose, press, showStory, drop },
    onTable: () => setTable(!table),
  });
  useTimelineKeys(visible, obey);
  useSearchWish(() => field.current?.focus());
  const onLeave = useCallback(() => stage.canvas.current?.focus(), []);
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
          onShaded={chooseShaded}
          onMeasure={setMeasure}
        />
        <InViewCard
          file={file}
          camera={camera}
          timeline={timeline}
          onFind={setQuery}
          onShow={(loss) => {
            chooseShaded(loss);
            camera.jump(around(loss.start_us, loss.end_us, GAP_ROOM, camera.whole));
          }}
        />
        <Spoken event={selection?.event ?? null} part={part && titleOf(part, timeline.lanes)} />
        <Footer />
      </div>
      <WhatPanel
        {...{ file, chosen, timeline, about, shaded: part, panel }}
        onShow={choose}
        onFinding={(finding) => go({ tab: "overview", finding })}
      />
    </div>
  );
}
