import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { spanOf, type View } from "../../model/timeline/view";
import type { Camera } from "../../state/timeline/camera";
import { drawMinimap, drawMinimapBack, MINIMAP_HEIGHT } from "./draw/minimap";
import type { Scene } from "./draw/scene";
import { brushFor, type CanvasRef } from "./use_canvas";

/** Draws the minimap; what lies behind the window again only where `key` says that it changed. */
export class MinimapPainter {
  private readonly back = document.createElement("canvas");
  private drawn: readonly unknown[] = [];

  paint(canvas: HTMLCanvasElement, scene: Scene, whole: View): void {
    const key = [scene.overview, scene.palette, scene.width, window.devicePixelRatio];
    if (key.some((part, i) => part !== this.drawn[i])) {
      const behind = brushFor(this.back, scene.width, MINIMAP_HEIGHT);
      if (behind) drawMinimapBack(behind, scene, whole);
      this.drawn = key;
    }
    const ctx = brushFor(canvas, scene.width, MINIMAP_HEIGHT);
    if (ctx) drawMinimap(ctx, scene, whole, this.back);
  }
}

const EDGE = 7;

type Grip = "from" | "to" | "middle";

function gripAt(x: number, view: View, scale: number, whole: View): Grip | null {
  const [left, right] = [(view.from - whole.from) * scale, (view.to - whole.from) * scale];
  if (Math.abs(x - left) <= EDGE) return "from";
  if (Math.abs(x - right) <= EDGE) return "to";
  return x > left && x < right ? "middle" : null;
}

function dragged(grip: Grip, view: View, by: number): View {
  if (grip === "middle") return { from: view.from + by, to: view.to + by };
  const next = { ...view, [grip]: view[grip] + by };
  return next.from < next.to ? next : view;
}

interface Props {
  canvas: CanvasRef;
  camera: Camera;
  hasStreams: boolean;
}

/** The whole recording in two lines; dragging the window moves it, pressing beside it brings it there. */
export function MinimapView({ canvas, camera, hasStreams }: Props): JSX.Element {
  const drag = useRef<{ grip: Grip; x: number } | null>(null);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return undefined;
    const calledOff = new AbortController();
    const { signal } = calledOff;
    const { whole } = camera;
    const scale = (): number => element.clientWidth / spanOf(whole);
    const xOf = (event: PointerEvent): number => event.clientX - element.getBoundingClientRect().left;
    const down = (event: PointerEvent): void => {
      const x = xOf(event);
      const grip = gripAt(x, camera.view, scale(), whole);
      if (grip === null) {
        const middle = whole.from + x / scale();
        const half = spanOf(camera.view) / 2;
        camera.jump({ from: middle - half, to: middle + half });
        return;
      }
      drag.current = { grip, x };
      element.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent): void => {
      if (!drag.current) return;
      const { grip, x } = drag.current;
      const now = xOf(event);
      camera.set(dragged(grip, camera.view, (now - x) / scale()));
      drag.current = { grip, x: now };
    };
    element.addEventListener("pointerdown", down, { signal });
    element.addEventListener("pointermove", move, { signal });
    element.addEventListener("pointerup", () => (drag.current = null), { signal });
    element.addEventListener("pointercancel", () => (drag.current = null), { signal });
    return () => calledOff.abort();
  }, [canvas, camera]);
  return (
    <div class="tl-minimap">
      <div aria-hidden="true">
        <span>CPU</span>
        {hasStreams && <span>GPU</span>}
      </div>
      <canvas ref={canvas} style={{ height: `${MINIMAP_HEIGHT}px` }} aria-hidden="true" />
    </div>
  );
}
