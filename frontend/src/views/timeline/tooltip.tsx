import type { JSX } from "preact";
import { count } from "../../model/format";
import { durationText, type Rectangle } from "../../model/timeline/find";
import { categoryName } from "../../model/timeline/looks";

interface Props {
  found: Rectangle;
  /** What people call it; null where that is its name. */
  human: string | null;
  x: number;
  y: number;
  width: number;
}

const WIDTH = 320;

/** Beside the mouse: the name and how long it took. */
export function Tooltip({ found, human, x, y, width }: Props): JSX.Element {
  const left = Math.max(0, Math.min(x + 14, width - WIDTH));
  return (
    <div class="tl-tip" aria-hidden="true" style={{ left: `${left}px`, top: `${y + 18}px` }}>
      {human !== null && <b>{human}</b>}
      <bdi>{found.event === null ? `${count(found.merged)} events` : (found.name ?? "Name not fetched")}</bdi>
      <span>
        {durationText(found)} · {categoryName(found.category)}
        {found.event === null ? " · too small to tell apart: press to zoom in" : ""}
      </span>
    </div>
  );
}
