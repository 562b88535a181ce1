import type { JSX } from "preact";
import type { Layout, PaneName, Scrolls } from "../../model/timeline/layout";
import { laneName, type LaneBox } from "../../model/timeline/layout";
import { plural } from "../../model/format";

interface Props {
  layout: Layout;
  scrolls: Scrolls;
  onFold: (lane: number) => void;
}

const ROOM_FOR_TWO_LINES = 30;

function LaneName({ box, onFold }: { box: LaneBox; onFold: () => void }): JSX.Element {
  const { first, stream, second } = laneName(box.lane);
  const words = [first + stream, second, plural(box.lane.events, "event")].filter((word) => word !== "");
  return (
    <button
      type="button"
      class="tl-lane"
      aria-expanded={!box.folded}
      title={`${words.join("\n")}\nPress to ${box.folded ? "open" : "fold"} it.`}
      style={{ top: `${box.top}px`, height: `${box.height}px` }}
      onClick={onFold}
    >
      <bdi class="name first">
        <span>{first}</span>
        {stream}
        <i aria-hidden="true">{box.folded ? " ▸" : box.lane.rows > 1 ? " ▾" : ""}</i>
      </bdi>
      {box.height >= ROOM_FOR_TWO_LINES && second !== "" && <bdi class="name dim">{second}</bdi>}
    </button>
  );
}

function PaneNames({ pane, layout, scrolls, onFold }: Props & { pane: PaneName }): JSX.Element | null {
  const { top, height } = layout[pane];
  if (height <= 0) return null;
  return (
    <div class="tl-pane" style={{ top: `${top}px`, height: `${height}px` }}>
      <div style={{ transform: `translateY(${-scrolls[pane]}px)` }}>
        {layout.headings
          .filter((heading) => heading.pane === pane)
          .map((heading) => (
            <b key={heading.top} class="tl-heading" style={{ top: `${heading.top}px` }}>
              {heading.text}
            </b>
          ))}
        {layout.boxes
          .filter((box) => box.pane === pane)
          .map((box) => (
            <LaneName key={box.lane.id} box={box} onFold={() => onFold(box.lane.id)} />
          ))}
      </div>
    </div>
  );
}

/** The names of the lanes, beside the drawing; pressing one folds it. */
export function Gutter(props: Props): JSX.Element {
  return (
    <div class="tl-gutter">
      <PaneNames pane="cpu" {...props} />
      <PaneNames pane="gpu" {...props} />
    </div>
  );
}
