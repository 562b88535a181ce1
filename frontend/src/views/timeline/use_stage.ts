// The drawing: its size, its windows of events, its frames.

import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { askWindow } from "../../api/timeline";
import type { Timeline } from "../../api/types";
import { readBlock } from "../../model/timeline/block";
import type { Rectangle } from "../../model/timeline/find";
import { clampScroll, layOut, type Layout } from "../../model/timeline/layout";
import { Labels } from "../../model/timeline/names";
import { pictureOf, rowKinds, type Picture, type RowKinds } from "../../model/timeline/picture";
import type { Shaded } from "../../model/timeline/shaded";
import type { Story } from "../../model/timeline/story";
import type { View } from "../../model/timeline/view";
import type { Camera } from "../../state/timeline/camera";
import { Pictures } from "../../state/timeline/pictures";
import { useHeight } from "../../ui/use_height";
import { useWidth } from "../../ui/use_width";
import { drawFrame } from "./draw/frame";
import { readPalette, type Palette } from "./draw/palette";
import type { Scene, Selection } from "./draw/scene";
import { MinimapPainter } from "./minimap_view";
import { brushFor, useFrames, usePaintChanges } from "./use_canvas";

const FIRST_SIZE = { width: 900, height: 420 } as const;

/** What the drawing shows beside the events. */
export interface Shown {
  zero_us: number;
  stories: readonly Story[];
  selection: Selection | null;
  part: Shaded | null;
  measure: View | null;
  query: string;
}

export interface Stage {
  area: RefObject<HTMLDivElement | null>;
  canvas: RefObject<HTMLCanvasElement | null>;
  minimap: RefObject<HTMLCanvasElement | null>;
  human: ReadonlyMap<string, string>;
  shades: Timeline["shades"];
  layout: Layout;
  width: number;
  /** What is drawn now. */
  picture: () => Picture | null;
  problem: string | null;
  /** Rises whenever a new picture arrived or the view came to rest. */
  version: number;
  hover: (found: Rectangle | null) => void;
}

/** Measures names as the canvas draws them. */
function useLabels(palette: Palette): Labels {
  return useMemo(() => {
    const ctx = document.createElement("canvas").getContext("2d");
    if (ctx) ctx.font = `11.5px ${palette.sans}`;
    return new Labels((text) => ctx?.measureText(text).width ?? text.length * 6.5);
  }, [palette.sans]);
}

function usePictures(file: string, timeline: Timeline, camera: Camera, changed: () => void): Pictures {
  const pictures = useMemo(
    () =>
      new Pictures(
        async (query, signal) => {
          const buffer = await askWindow(file, query, signal);
          return buffer && pictureOf(readBlock(buffer), timeline);
        },
        camera.whole,
        changed,
      ),
    [file, timeline, camera],
  );
  useEffect(() => () => pictures.dispose(), [pictures]);
  return pictures;
}

/** Row kinds come with the first picture of the whole recording, and stay as they are. */
function useRowKinds(overview: Picture | null): RowKinds {
  const known = useRef<RowKinds | null>(null);
  if (known.current === null && overview !== null) known.current = rowKinds(overview);
  const kinds = known.current;
  return useMemo(() => kinds ?? rowKinds(null), [kinds]);
}

export function useStage(
  file: string,
  timeline: Timeline,
  camera: Camera,
  folded: ReadonlySet<number>,
  shown: Shown,
): Stage {
  const area = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const minimap = useRef<HTMLCanvasElement>(null);
  const hovered = useRef<Rectangle | null>(null);
  const painter = useMemo(() => new MinimapPainter(), []);
  const [version, setVersion] = useState(0);
  const [palette, setPalette] = useState(readPalette);
  const labels = useLabels(palette);
  const width = useWidth(area, FIRST_SIZE.width);
  const height = useHeight(area, FIRST_SIZE.height);
  const pictures = usePictures(file, timeline, camera, () => setVersion((times) => times + 1));
  const kinds = useRowKinds(pictures.overview);
  const layout = useMemo(
    () => layOut(timeline.lanes, kinds, folded, height),
    [timeline, kinds, folded, height],
  );
  const human = useMemo(() => new Map(Object.entries(timeline.human_names)), [timeline]);
  const scene = (): Scene => ({
    ...{ timeline, human, layout, width, palette, labels, ...shown },
    scrolls: {
      cpu: clampScroll(layout, "cpu", camera.scrolls.cpu),
      gpu: clampScroll(layout, "gpu", camera.scrolls.gpu),
    },
    view: camera.view,
    picture: pictures.best(camera.view, width),
    overview: pictures.overview,
    hover: hovered.current,
  });
  const redraw = useFrames(() => {
    const now = scene();
    const ctx = canvas.current && brushFor(canvas.current, width, height);
    if (ctx) drawFrame(ctx, now);
    if (minimap.current) painter.paint(minimap.current, now, camera.whole);
    pictures.want(camera.view, width);
  });
  useLayoutEffect(redraw);
  useEffect(() => {
    void pictures.begin(width);
    return camera.listen(redraw, () => setVersion((times) => times + 1));
  }, [pictures, camera]);
  usePaintChanges(useCallback(() => setPalette(readPalette()), []));
  const hover = useCallback((found: Rectangle | null): void => {
    hovered.current = found;
    redraw();
  }, []);
  const picture = (): Picture | null => pictures.best(camera.view, width);
  return {
    ...{ area, canvas, minimap, human, shades: timeline.shades, layout, width, picture },
    ...{ problem: pictures.problem, version, hover },
  };
}
