import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Cell, Quantity, Table } from "../api/types";
import { bytes, count, join, percentFigure, significant, time } from "../model/format";
import type { Spot } from "../model/spots";
import { SpotButton, type ShowSpot } from "./spot_button";
import { Name } from "./text";

const FIRST_ROWS = 8;
// A text of so few characters has room on the three lines of a cell.
const SURELY_WHOLE = 30;

function heading(column: string): string {
  const words = column
    .replace(/_(us|bytes)$/, "")
    .replaceAll("_", " ")
    .replace(/\b[cg]pu\b/g, (word) => word.toUpperCase());
  return words === "" ? column : words;
}

function cellText(column: string, value: number): string {
  if (column.endsWith("_us")) return time(value);
  if (column.endsWith("_bytes")) return bytes(value);
  return Number.isInteger(value) ? count(value) : significant(value);
}

function CellView({ column, value }: { column: string; value: Cell }): JSX.Element {
  if (value === null) return <td class="num missing">not measured</td>;
  if (typeof value === "number") return <td class="num">{cellText(column, value)}</td>;
  return (
    <td>
      <Name text={value} mono={/[_:<(]/.test(value)} />
    </td>
  );
}

function isNumeric(table: Table, column: number): boolean {
  return table.rows.every((row) => typeof row[column] !== "string");
}

interface Props {
  table: Table;
  /** How a row whose text is a name leads to the timeline. */
  shows: { byName: ReadonlyMap<string, Spot>; onSpot: ShowSpot } | null;
}

/** The first name of a row that the timeline can show. */
function spotOfRow(row: readonly Cell[], shows: Props["shows"]): [string, Spot] | null {
  for (const cell of row) {
    const spot = typeof cell === "string" ? shows?.byName.get(cell) : undefined;
    if (typeof cell === "string" && spot) return [cell, spot];
  }
  return null;
}

function RowSpot({ row, shows }: { row: readonly Cell[]; shows: Props["shows"] }): JSX.Element {
  const found = spotOfRow(row, shows);
  return (
    <td class="spot-cell">
      {found && shows && <SpotButton about={found[0]} spot={found[1]} onShow={shows.onSpot} />}
    </td>
  );
}

export function DataTable({ table, shows }: Props): JSX.Element {
  const [all, setAll] = useState(false);
  const [whole, setWhole] = useState(false);
  const rows = all ? table.rows : table.rows.slice(0, FIRST_ROWS);
  const leads = table.rows.some((row) => spotOfRow(row, shows) !== null);
  const more = table.rows.length - rows.length;
  const cut = rows.some((row) => row.some((cell) => typeof cell === "string" && cell.length > SURELY_WHOLE));
  return (
    <div class={whole ? "data full" : "data"}>
      <table>
        <thead>
          <tr>
            {table.columns.map((column, index) => (
              <th key={index} scope="col" class={isNumeric(table, index) ? "num" : ""}>
                {heading(column)}
              </th>
            ))}
            {leads && (
              <th scope="col" class="spot-cell">
                <span class="visually-hidden">On the timeline</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {table.columns.map((column, at) => (
                <CellView key={at} column={column} value={row[at] ?? null} />
              ))}
              {leads && <RowSpot row={row} shows={shows} />}
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {count(more)} more
        </button>
      )}
      {cut && (
        <button type="button" class="link" aria-pressed={whole} onClick={() => setWhole(!whole)}>
          Full names
        </button>
      )}
    </div>
  );
}

const UNIT_TEXT: Readonly<Record<Quantity["unit"], (value: number) => string>> = {
  us: time,
  bytes,
  percent: (value) => join(percentFigure(value / 100)),
  count,
  ratio: significant,
};

export function Quantities({ quantities }: { quantities: readonly Quantity[] }): JSX.Element {
  return (
    <table class="quantities">
      <tbody>
        {quantities.map((quantity, index) => (
          <tr key={index}>
            <th scope="row">
              <Name text={quantity.label} />
            </th>
            <td class="num">
              {quantity.value === null ? "not measured" : UNIT_TEXT[quantity.unit](quantity.value)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
