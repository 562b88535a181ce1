import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Comparison } from "../../api/types";
import { deltaTable, type DeltaRow, type DeltaTable, type Glyph } from "../../model/deltas";
import { ranges } from "../../model/format";
import { Term, walkTerms } from "../../ui/term";

const percent = (share: number): string => `${(100 * share).toFixed(2)}%`;

function GlyphView({ glyph }: { glyph: Glyph }): JSX.Element {
  return (
    <span class="delta-glyph" aria-hidden="true">
      <i class="zero" />
      <i class="range" style={{ left: percent(glyph.low), width: percent(glyph.high - glyph.low) }} />
      <i class="point" style={{ left: percent(glyph.point) }} />
      {glyph.cutLow && <i class="cut low">‹</i>}
      {glyph.cutHigh && <i class="cut high">›</i>}
    </span>
  );
}

function Row({ row, stop }: { row: DeltaRow; stop: boolean }): JSX.Element {
  const difference = row.told === "differs" ? <b>{row.difference}</b> : row.difference;
  return (
    <tr class={row.told}>
      <th scope="row">
        <Term stop={stop} meaning={row.meaning}>
          {row.label}
        </Term>
      </th>
      <td class="num">{row.baseline}</td>
      <td class="num">{row.candidate}</td>
      <td class="num">{difference}</td>
      <td class="num interval">{row.interval}</td>
      <td class="on-axis">{row.glyph && <GlyphView glyph={row.glyph} />}</td>
      <td>{row.told === "differs" ? <b>{row.verdict}</b> : <span class="dim">{row.verdict}</span>}</td>
    </tr>
  );
}

function Notes({ table }: { table: DeltaTable }): JSX.Element {
  return (
    <div class="notes-below">
      {table.equal.length > 0 && <p>The same on both sides: {table.equal.join(", ")}.</p>}
      {table.missing.length > 0 && (
        <details>
          <summary>Not measured: {table.missing.flatMap((entry) => entry.labels).join(", ")}</summary>
          <ul>
            {table.missing.map(({ labels, reason }) => (
              <li key={reason}>
                <b>{labels.join(", ")}:</b> {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** `Steps 2–6 of A, 3–6 of B` */
function stepsText({ steps }: Comparison): string {
  const list = (numbers: readonly (number | null)[]): string => {
    const known = numbers.filter((number) => number !== null);
    if (known.length === 0) return "the whole recording";
    return `${known.length === 1 ? "step" : "steps"} ${ranges(known)}`;
  };
  const settled = steps.settled ? "" : ", not known to be settled";
  const medians = steps.baseline.length + steps.candidate.length > 2 ? "medians over " : "";
  return `${medians}${list(steps.baseline)} of A and ${list(steps.candidate)} of B${settled}`;
}

export function DeltaCard({ comparison }: { comparison: Comparison }): JSX.Element {
  const table = useMemo(() => deltaTable(comparison.deltas), [comparison]);
  return (
    <section class="card deltas" aria-label="A against B">
      <header>
        <h2>A against B</h2>
        <span class="hint">{stepsText(comparison)}</span>
      </header>
      <div class="table-scroll">
        <table onKeyDown={walkTerms}>
          <thead>
            <tr>
              <td />
              <th scope="col" class="num">
                A
              </th>
              <th scope="col" class="num">
                B
              </th>
              <th scope="col" class="num">
                B − A
              </th>
              <th scope="col" class="num interval">
                Interval
              </th>
              <th scope="col" class="on-axis">
                <span class="axis-head">
                  <span>
                    −{table.limit}
                    {"\u202f"}%
                  </span>
                  <span>0</span>
                  <span>
                    +{table.limit}
                    {"\u202f"}%
                  </span>
                </span>
              </th>
              <th scope="col">Difference</th>
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row, index) => (
              <Row key={row.metric} row={row} stop={index === 0} />
            ))}
          </tbody>
        </table>
      </div>
      {table.rows.length === 0 && <p class="none">No figure differs.</p>}
      <Notes table={table} />
    </section>
  );
}
