import type { ComponentProps, JSX } from "preact";
import { time } from "../../model/format";
import { spanOf, type View } from "../../model/timeline/view";
import { SearchBox } from "./search_box";
import type { Command } from "./timeline_keys";

interface Props {
  search: Omit<ComponentProps<typeof SearchBox>, "after_us">;
  after_us: number;
  view: View;
  measure: View | null;
  table: boolean;
  problem: string | null;
  obey: (command: Command) => void;
}

const BUTTONS: readonly [Command, string, string][] = [
  ["out", "−", "Zoom out (S)"],
  ["in", "+", "Zoom in (W)"],
  ["whole", "Whole", "Show the whole recording (0)"],
];

/** What is in sight, in figures, and buttons for those who use no keys. */
export function Toolbar({ search, after_us, view, measure, table, problem, obey }: Props): JSX.Element {
  return (
    <div class="tl-toolbar" role="toolbar" aria-label="Timeline">
      <SearchBox {...search} after_us={after_us} />
      {BUTTONS.map(([command, words, title]) => (
        <button
          key={command}
          type="button"
          class="tool"
          title={title}
          aria-label={title}
          onClick={() => obey(command)}
        >
          {words}
        </button>
      ))}
      <button
        type="button"
        class="tool"
        title="Zoom to what is measured or chosen, else to the step (F)"
        onClick={() => obey("fit")}
      >
        {measure ? "Zoom to measured" : "Fit"}
      </button>
      <button
        type="button"
        class="tool"
        aria-pressed={table}
        title="Show the events in view as a table (V)"
        onClick={() => obey("table")}
      >
        Table
      </button>
      <span class="spacer" />
      {problem !== null && <span class="tl-problem">Not all events could be fetched: {problem}.</span>}
      {measure && (
        <span>
          Measured <b>{time(spanOf(measure))}</b>
        </span>
      )}
      <span class="dim">
        {time(view.from)} to {time(view.to)}: <b>{time(spanOf(view))}</b>
      </span>
    </div>
  );
}
