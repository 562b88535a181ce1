import type { JSX } from "preact";
import type { Spans, Verdict } from "../api/types";
import { plural } from "../model/format";
import { miniTimeline, type Box, type LaneBoxes } from "../model/spans";

const percent = (share: number): string => `${(100 * share).toFixed(3)}%`;

/** Whether a name can be read in its box, the drawing being some 340 px wide at least. */
function hasRoom(box: Box): boolean {
  return box.width > 0.25 || box.name.length * 6 + 8 < box.width * 340;
}

function Lane({ lane }: { lane: LaneBoxes }): JSX.Element {
  return (
    <div class="lane">
      <bdi class="lane-name name" title={lane.name}>
        {lane.name}
      </bdi>
      <div class="lane-track" style={{ height: `${lane.rows * 16}px` }}>
        {lane.boxes.map((box, index) => (
          <span
            key={index}
            class={`box look-${box.look}`}
            title={box.title}
            style={{ left: percent(box.left), width: percent(box.width), top: `${box.row * 16 + 1}px` }}
          >
            {hasRoom(box) && <bdi>{box.name}</bdi>}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The events that a finding rests on, lane under lane. */
export function MiniTimeline({
  lanes,
  verdict,
}: {
  lanes: readonly Spans[];
  verdict: Verdict;
}): JSX.Element | null {
  const drawing = miniTimeline(lanes, verdict);
  if (drawing === null) return null;
  const events = lanes.reduce((sum, lane) => sum + lane.spans.length, 0);
  return (
    <div
      class="mini"
      role="img"
      aria-label={`${plural(events, "event")} on ${lanes.map((lane) => lane.lane).join(", ")}`}
    >
      {drawing.lanes.map((lane, index) => (
        <Lane key={index} lane={lane} />
      ))}
      <div class="lane ticks">
        <span />
        <div class="lane-track">
          {drawing.ticks.map((tick) => (
            <span key={tick.left} style={{ left: percent(tick.left) }}>
              {tick.label}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}
