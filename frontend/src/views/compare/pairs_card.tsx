import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Comparison } from "../../api/types";
import { count } from "../../model/format";
import { firstMetric, pairMetrics, pairRows, type PairBar, type PairRow } from "../../model/step_pairs";
import { LETTERS } from "../../model/sides";
import { Picker } from "../../ui/picker";

const FIRST_ROWS = 12;

function Bar({ bar }: { bar: PairBar }): JSX.Element {
  const look = `pair-bar ${bar.side}${bar.unsettled === "" ? "" : " unsettled"}`;
  return (
    <div class="pair-line">
      <span class="visually-hidden">{LETTERS[bar.side]}: </span>
      {bar.length !== null && (
        <i class={look} style={{ width: `${(62 * bar.length).toFixed(2)}%` }}>
          {bar.cut && <i class="torn" />}
        </i>
      )}
      <span class={bar.unsettled === "" && bar.length !== null ? "" : "dim"}>
        {bar.text}
        {bar.unsettled !== "" && ` · not settled: ${bar.unsettled}`}
      </span>
    </div>
  );
}

function Row({ row }: { row: PairRow }): JSX.Element {
  return (
    <li class="pair">
      <span class="pair-name">{row.label}</span>
      <div>
        {row.bars.map((bar) => (
          <Bar key={bar.side} bar={bar} />
        ))}
      </div>
    </li>
  );
}

/** The steps of both runs in the order of recording, in one figure. */
export function PairsCard({ comparison }: { comparison: Comparison }): JSX.Element | null {
  const metrics = useMemo(() => pairMetrics(comparison), [comparison]);
  const [chosen, setChosen] = useState<string | null>(null);
  const [all, setAll] = useState(false);
  const metric = metrics.find((entry) => entry.value === chosen)?.value ?? firstMetric(comparison);
  const rows = useMemo(() => (metric === null ? [] : pairRows(comparison, metric)), [comparison, metric]);
  if (metric === null || rows.length === 0) return null;
  const shown = all ? rows : rows.slice(0, FIRST_ROWS);
  const unsettled = rows.some((row) => row.bars.some((bar) => bar.unsettled !== ""));
  return (
    <section class="card pairs" aria-label="Step by step">
      <header>
        <h2>Step by step</h2>
        <span class="spacer" />
        <Picker label="Figure" value={metric} options={metrics} onPick={setChosen} />
      </header>
      <p class="hint keys">
        <i class="pair-key baseline" /> A <i class="pair-key candidate" /> B
        {unsettled && (
          <>
            {" "}
            <i class="hatch-key" /> not settled: in no median and no interval
          </>
        )}
      </p>
      <ol class={all ? "scrolls" : ""}>
        {shown.map((row, index) => (
          <Row key={index} row={row} />
        ))}
      </ol>
      {rows.length > shown.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {count(rows.length - shown.length)} more pairs
        </button>
      )}
    </section>
  );
}
