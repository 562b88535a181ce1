import type { JSX } from "preact";
import { count, time } from "../../model/format";
import type { Rectangle } from "../../model/timeline/find";
import { categoryName } from "../../model/timeline/looks";

const LONGEST = 300;

/** What a rectangle is, in words. */
export function describeRectangle(found: Rectangle): string {
  const length = time(found.end_us - found.start_us);
  if (found.event === null) return `${count(found.merged)} events within ${length}`;
  return `${(found.name ?? categoryName(found.category)).slice(0, LONGEST)}, ${length}`;
}

interface Props {
  found: Rectangle;
  x: number;
  y: number;
  width: number;
}

const WIDTH = 320;

/** Beside the mouse: the name and how long it took. */
export function Tooltip({ found, x, y, width }: Props): JSX.Element {
  const left = Math.max(0, Math.min(x + 14, width - WIDTH));
  return (
    <div class="tl-tip" aria-hidden="true" style={{ left: `${left}px`, top: `${y + 18}px` }}>
      <bdi>{found.event === null ? `${count(found.merged)} events` : (found.name ?? "Name not fetched")}</bdi>
      <span>
        {time(found.end_us - found.start_us)} · {categoryName(found.category)}
        {found.event === null ? " · too small to tell apart: press to zoom in" : ""}
      </span>
    </div>
  );
}
