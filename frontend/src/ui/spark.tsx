import type { JSX } from "preact";
import type { Point } from "../model/figures";

const WIDTH = 84;
const HEIGHT = 26;
const MARGIN = 4;
const MOST_DOTS = 14;

interface Dot {
  x: number;
  y: number;
  settled: boolean;
}

function place(points: readonly Point[]): (Dot | null)[] {
  const values = points.flatMap((point) => (point.value === null ? [] : [point.value]));
  const most = Math.max(...values, 1e-9);
  const flat = values.every((value) => value === values[0]);
  const least = Math.min(0, ...values);
  return points.map(({ value, settled }, index) => {
    if (value === null) return null;
    const x = MARGIN + (index * (WIDTH - 2 * MARGIN)) / Math.max(1, points.length - 1);
    const share = flat ? 0.5 : (value - least) / (most - least);
    return { x, y: HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN), settled };
  });
}

function path(dots: readonly (Dot | null)[], solid: boolean): string {
  let text = "";
  dots.forEach((dot, index) => {
    const before = dots[index - 1];
    if (!dot || !before || (dot.settled && before.settled) !== solid) return;
    text += `M${before.x.toFixed(1)} ${before.y.toFixed(1)}L${dot.x.toFixed(1)} ${dot.y.toFixed(1)}`;
  });
  return text;
}

/** One value a step, from 0; unsettled steps are hollow, joined by dashes, and left out where dots are too many. */
export function Spark({ points }: { points: readonly Point[] }): JSX.Element | null {
  const settled = points.filter((point) => point.settled);
  const dense = points.length > MOST_DOTS;
  const dots = place(dense && settled.length > 1 ? settled : points);
  const known = dots.filter((dot) => dot !== null);
  if (known.length < 2) return null;
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} aria-hidden="true">
      <path class="between" d={path(dots, false)} />
      <path class="line" d={path(dots, true)} />
      {!dense &&
        known.map((dot) => (
          <circle key={dot.x} class={dot.settled ? "settled" : "unsettled"} cx={dot.x} cy={dot.y} r="2.4" />
        ))}
    </svg>
  );
}
