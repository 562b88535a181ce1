import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { inViewAddress, type InViewAnswer } from "../../api/timeline";
import type { InView, LaneInfo, Timeline } from "../../api/types";
import { count, time } from "../../model/format";
import { busyText, idleText, lossRows, workRows } from "../../model/timeline/in_view";
import type { Shaded } from "../../model/timeline/shaded";
import type { View } from "../../model/timeline/view";
import type { Camera } from "../../state/timeline/camera";
import { useAnswer } from "../../state/timeline/use_answer";
import { Name } from "../../ui/text";

/** The view once it has come to rest. */
function useRested(camera: Camera): View {
  const [view, setView] = useState(camera.view);
  useEffect(
    () =>
      camera.listen(
        () => undefined,
        () => setView(camera.view),
      ),
    [camera],
  );
  return view;
}

/** The figures of the view, or those of the last one until the new ones are there; or why there will be none. */
function useInView(file: string, view: View): { found: InView | null; problem: string | null } {
  const { answer, problem } = useAnswer<InViewAnswer>(inViewAddress(file, view));
  const last = useRef<InView | null>(null);
  if (answer?.state === "ready") last.current = answer.in_view;
  return { found: last.current, problem: answer?.state === "error" ? answer.error.message : problem };
}

function WorkTable({ found, onFind }: { found: InView; onFind: (name: string) => void }): JSX.Element {
  const { rest } = found;
  return (
    <table>
      <caption>
        <b>GPU work in view</b> <span>{busyText(found)}</span>
      </caption>
      <tbody>
        {workRows(found).map((row) => (
          <tr key={`${row.fill} ${row.name}`}>
            <th scope="row">
              <button
                type="button"
                title={`${row.name}\nPress to frame it.`}
                onClick={() => onFind(row.name)}
              >
                <i class={`swatch fill-${row.fill}`} />
                <Name text={row.label} />
              </button>
            </th>
            <td class="in-view-bar" aria-hidden="true">
              <i class={`fill-${row.fill}`} style={{ width: `${(100 * row.bar).toFixed(1)}%` }} />
            </td>
            <td class="num dim">{count(row.count)} ×</td>
            <td class="num">{time(row.time_us)}</td>
          </tr>
        ))}
        {rest.names > 0 && (
          <tr class="dim">
            <th scope="row">{count(rest.names)} more names</th>
            <td />
            <td class="num">{count(rest.count)} ×</td>
            <td class="num">{time(rest.time_us)}</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

interface LossProps {
  found: InView;
  lanes: readonly LaneInfo[];
  /** Whether the recording is split into steps. */
  steps: boolean;
  onShow: (shaded: Shaded) => void;
}

function LossTable({ found, lanes, steps, onShow }: LossProps): JSX.Element {
  const rows = lossRows(found, lanes);
  return (
    <table>
      <caption>
        <b>Longest waits and gaps</b> <span>{found.devices.length > 0 && idleText(found, steps)}</span>
      </caption>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            <th scope="row">
              <button
                type="button"
                title={`${row.label}\nPress to show it.`}
                onClick={() => onShow(row.shaded)}
              >
                <i class={`swatch fill-${row.fill}`} />
                <Name text={row.label} />
                {row.note !== "" && <small>{row.note}</small>}
              </button>
            </th>
            <td class="num dim">at {time(row.start_us)}</td>
            <td class="num">{time(row.in_view_us)}</td>
          </tr>
        ))}
        {rows.length === 0 && (
          <tr class="dim">
            <th scope="row">None in view.</th>
          </tr>
        )}
      </tbody>
    </table>
  );
}

interface Props {
  file: string;
  camera: Camera;
  timeline: Timeline;
  onFind: (name: string) => void;
  onShow: (shaded: Shaded) => void;
}

/** Below the drawing: the figures of the window in sight, exact at every zoom. */
export function InViewCard({ file, camera, timeline, onFind, onShow }: Props): JSX.Element | null {
  const { lanes } = timeline;
  const steps = timeline.steps.some((step) => step.number !== null);
  const { found, problem } = useInView(file, useRested(camera));
  if (problem !== null) {
    const why = problem.replace(/\.$/, "");
    return <p class="hint in-view-problem">The figures of this view could not be had: {why}.</p>;
  }
  if (found === null || (found.devices.length === 0 && found.waits.length === 0)) return null;
  return (
    <section class="in-view" aria-label="In view">
      {found.devices.length > 0 && <WorkTable found={found} onFind={onFind} />}
      <LossTable found={found} lanes={lanes} steps={steps} onShow={onShow} />
    </section>
  );
}
