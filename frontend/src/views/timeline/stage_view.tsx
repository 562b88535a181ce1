import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { atPoint, type Rectangle } from "../../model/timeline/find";
import { clampScroll, paneAt, type Scrolls } from "../../model/timeline/layout";
import { shadedAt, type Shaded } from "../../model/timeline/shaded";
import { moved, spanOf, zoomed, type View } from "../../model/timeline/view";
import type { Camera } from "../../state/timeline/camera";
import { listenToGestures, type Point, type Wishes } from "./gestures";
import { Gutter } from "./gutter";
import { Tooltip } from "./tooltip";
import type { Stage } from "./use_stage";

interface Props {
  stage: Stage;
  camera: Camera;
  label: string;
  /** Whether the page around the drawing scrolls: the wheel is then its own until the drawing is pressed. */
  scrolls?: boolean;
  onFold: (lane: number) => void;
  onPress: (found: Rectangle | null) => void;
  /** A press on a shaded part without an event; without this, it is a press on nothing. */
  onShaded?: (shaded: Shaded) => void;
  onMeasure: (range: View) => void;
}

const SLACK = 3;

function scrollsOf(stage: Stage, camera: Camera): Scrolls {
  return {
    cpu: clampScroll(stage.layout, "cpu", camera.scrolls.cpu),
    gpu: clampScroll(stage.layout, "gpu", camera.scrolls.gpu),
  };
}

/** The gutter follows the drawing when it is scrolled. */
function useScrolls(stage: Stage, camera: Camera): Scrolls {
  const [scrolls, setScrolls] = useState(camera.scrolls);
  useEffect(
    () =>
      camera.listen(
        () => setScrolls(camera.scrolls),
        () => undefined,
      ),
    [camera],
  );
  return scrolls === camera.scrolls ? scrollsOf(stage, camera) : scrolls;
}

interface Under {
  found: Rectangle;
  at: Point;
}

/** Mouse, pen and touch on the drawing; gives what is under the mouse. */
function useGestures(props: Props): Under | null {
  const [under, setUnder] = useState<Under | null>(null);
  const newest = useRef(props);
  newest.current = props;
  const { camera, stage } = props;
  useEffect(() => {
    const element = stage.canvas.current;
    if (!element) return undefined;
    const now = (): Props => newest.current;
    const perPixel = (): number => spanOf(camera.view) / now().stage.width;
    const timeAt = (x: number): number => camera.view.from + x * perPixel();
    const pointAt = ({ x, y }: Point) => ({ at_us: timeAt(x), y, slack_us: SLACK * perPixel() });
    const find = (at: Point): Rectangle | null => {
      const picture = now().stage.picture();
      const { layout } = now().stage;
      return picture && atPoint(picture.block, layout, scrollsOf(now().stage, camera), pointAt(at));
    };
    const press = (at: Point): void => {
      const { stage: drawn, onPress, onShaded } = now();
      const [found, picture] = [find(at), drawn.picture()];
      const shaded =
        found === null && onShaded && picture
          ? shadedAt(picture, drawn.shades, drawn.layout, scrollsOf(drawn, camera), pointAt(at))
          : null;
      if (shaded) onShaded?.(shaded);
      else onPress(found);
    };
    const scroll = (at: Point, by: number): void => {
      const { layout } = now().stage;
      const pane = paneAt(layout, at.y);
      if (pane === null || by === 0) return;
      const to = clampScroll(layout, pane, camera.scrolls[pane] + by);
      if (to !== camera.scrolls[pane]) camera.scroll(pane, to);
    };
    const hover = (at: Point | null): void => {
      const found = at && find(at);
      setUnder(found && at ? { found, at } : null);
      now().stage.hover(found);
    };
    const wishes: Wishes = {
      pan: (dx, dy, began) => {
        hover(null);
        if (dx !== 0) camera.set(moved(camera.view, -dx * perPixel(), camera.whole));
        scroll(began, -dy);
      },
      zoom: (x, factor) => {
        hover(null);
        camera.set(zoomed(camera.view, timeAt(x), factor, camera.whole));
      },
      scroll,
      hover,
      press,
      measure: (a, b) => now().onMeasure({ from: timeAt(Math.min(a, b)), to: timeAt(Math.max(a, b)) }),
      open: (at) => {
        const found = find(at);
        const room = found ? (found.end_us - found.start_us) * 0.15 : 0;
        if (found) camera.jump({ from: found.start_us - room, to: found.end_us + room });
      },
    };
    return listenToGestures(element, wishes, newest.current.scrolls ?? false);
  }, [camera]);
  return under;
}

function humanOf(stage: Stage, { name, lane }: Rectangle): string | null {
  const isStream = stage.layout.boxes.some((box) => box.lane.id === lane && box.lane.kind === "stream");
  return name !== null && isStream ? (stage.human.get(name) ?? null) : null;
}

/** The drawing and the names of its lanes. */
export function StageView(props: Props): JSX.Element {
  const { stage, camera, label, onFold } = props;
  const scrolls = useScrolls(stage, camera);
  const under = useGestures(props);
  return (
    <div class="tl-stage">
      <Gutter layout={stage.layout} scrolls={scrolls} onFold={onFold} />
      <div ref={stage.area} class="tl-area">
        <canvas ref={stage.canvas} class="tl-canvas" role="img" aria-label={label} tabIndex={0} />
        {under && (
          <Tooltip
            found={under.found}
            human={humanOf(stage, under.found)}
            x={under.at.x}
            y={under.at.y}
            width={stage.width}
          />
        )}
      </div>
    </div>
  );
}
