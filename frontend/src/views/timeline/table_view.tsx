import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { LaneInfo } from "../../api/types";
import { count, time } from "../../model/format";
import { durationText, inRange, type Rectangle } from "../../model/timeline/find";
import { laneTitle } from "../../model/timeline/layout";
import { categoryName } from "../../model/timeline/looks";
import type { Picture } from "../../model/timeline/picture";
import type { View } from "../../model/timeline/view";
import { Name } from "../../ui/text";

const MOST_ROWS = 400;

interface Props {
  picture: Picture | null;
  /** What GPU work is called for people, by name. */
  human: ReadonlyMap<string, string>;
  lanes: readonly LaneInfo[];
  view: View;
  chosen: number | null;
  onChoose: (found: Rectangle) => void;
}

function RowView({
  found,
  human,
  lanes,
  chosen,
  onChoose,
}: { found: Rectangle } & Omit<Props, "picture" | "view">): JSX.Element {
  const lane = lanes[found.lane];
  const name = found.name ?? categoryName(found.category);
  const called = lane?.kind === "stream" ? human.get(name) : undefined;
  return (
    <tr class={found.event !== null && found.event === chosen ? "chosen" : ""}>
      <td>{lane ? laneTitle(lane).filter(Boolean).join(", ") : ""}</td>
      <th scope="row">
        <button type="button" class="link" onClick={() => onChoose(found)}>
          {found.event === null ? `${count(found.merged)} events, zoom in` : <Name text={name} />}
        </button>
        {called !== undefined && (
          <small class="dim">
            {" "}
            <Name text={called} />
          </small>
        )}
      </th>
      <td>{categoryName(found.category)}</td>
      <td class="num">{found.cutStart ? `before ${time(found.start_us)}` : time(found.start_us)}</td>
      <td class="num">{durationText(found)}</td>
    </tr>
  );
}

/** What the drawing shows, as a table: for screen readers, and to be read and copied. */
export function TableView({ picture, view, ...rest }: Props): JSX.Element {
  const [rows, more] = useMemo(
    () => (picture ? inRange(picture.block, view.from, view.to, MOST_ROWS) : [[], false]),
    [picture, view.from, view.to],
  ) as [Rectangle[], boolean];
  return (
    <div class="tl-table" tabIndex={0} role="region" aria-label="Events in view, as a table">
      <table>
        <caption>
          Events from {time(view.from)} to {time(view.to)} after the first step’s start
          {more ? `, the first ${count(MOST_ROWS)}: zoom in to see the others` : ""}
        </caption>
        <thead>
          <tr>
            <th scope="col">Lane</th>
            <th scope="col">Name</th>
            <th scope="col">Kind</th>
            <th scope="col" class="num">
              Start
            </th>
            <th scope="col" class="num">
              Duration
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((found) => (
            <RowView key={`${found.lane} ${found.row} ${found.start_us}`} found={found} {...rest} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
