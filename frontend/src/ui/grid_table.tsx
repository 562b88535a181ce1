import type { JSX } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import type { Cell } from "../api/types";
import { count } from "../model/format";
import {
  cellText,
  csvOf,
  filterRows,
  nextOrder,
  scaleOf,
  sortRows,
  type Column,
  type Grid,
  type Order,
  type Row,
  type Scale,
} from "../model/grid";
import { CopyButton } from "./copy_button";
import { SpotButton, type ShowSpot } from "./spot_button";
import { Name } from "./text";

const FIRST_ROWS = 10;
// A cell of so few characters is never cut off.
const SURELY_WHOLE = 18;

interface HeadProps {
  column: Column;
  scale: Scale;
  sorted: "ascending" | "descending" | null;
  onSort: () => void;
}

function Head({ column, scale, sorted, onSort }: HeadProps): JSX.Element {
  const look = column.kind === "text" ? "" : "num";
  return (
    <th scope="col" class={look} aria-sort={sorted ?? "none"}>
      <button type="button" title={column.meaning} aria-description={column.meaning} onClick={onSort}>
        {column.label}
        {scale.unit !== "" && <span class="unit">, {scale.unit}</span>}
        <i class="sort" aria-hidden="true">
          {sorted === null ? "" : sorted === "ascending" ? "▲" : "▼"}
        </i>
      </button>
    </th>
  );
}

function CellView({ value, column, scale }: { value: Cell; column: Column; scale: Scale }): JSX.Element {
  if (value === null) return <td class={column.kind === "text" ? "missing" : "num missing"}>–</td>;
  if (column.kind !== "text") return <td class="num">{cellText(value, column.kind, scale)}</td>;
  return (
    <td>
      {column.tail ? (
        <span class="name mono tail" title={String(value)}>
          <bdi>{value}</bdi>
        </span>
      ) : (
        <Name text={String(value)} mono={column.mono ?? false} />
      )}
    </td>
  );
}

interface Props {
  grid: Grid;
  label: string;
  /** Where rows lead, if they lead anywhere. */
  onSpot?: ShowSpot;
}

/** The first text of a row: what it is about. */
function aboutOf(row: Row): string {
  return String(row.find((cell) => typeof cell === "string" && cell !== "") ?? "the row");
}

/** A table that is sorted by its heads, filtered by text, and copied as comma-separated values. */
export function GridTable({ grid, label, onSpot }: Props): JSX.Element {
  const [order, setOrder] = useState<Order>({ column: null, down: true });
  const [filter, setFilter] = useState("");
  const [all, setAll] = useState(false);
  const [whole, setWhole] = useState(false);
  const field = useId();
  const scales = useMemo(() => grid.columns.map((_, index) => scaleOf(index, grid)), [grid]);
  const rows = useMemo(() => sortRows(filterRows(grid.rows, filter), order), [grid, filter, order]);
  const shown = all ? rows : rows.slice(0, FIRST_ROWS);
  const long = grid.rows.length > FIRST_ROWS;
  const texts = grid.columns.filter((column) => column.kind === "text").length;
  const cut = grid.rows.some((row) =>
    row.some((cell) => typeof cell === "string" && cell.length > SURELY_WHOLE),
  );
  const sorted = (index: number): HeadProps["sorted"] =>
    order.column === index ? (order.down ? "descending" : "ascending") : null;
  return (
    <div class={`grid texts-${texts}${whole ? " full" : ""}`}>
      <div class="grid-tools">
        {long && (
          <label for={field}>
            Filter{" "}
            <input
              id={field}
              type="search"
              value={filter}
              spellcheck={false}
              onInput={(event) => setFilter(event.currentTarget.value)}
            />
          </label>
        )}
        <span class="hint" role="status">
          {filter === "" ? "" : `${count(rows.length)} of ${count(grid.rows.length)}`}
        </span>
        <span class="spacer" />
        {cut && (
          <button type="button" class="link" aria-pressed={whole} onClick={() => setWhole(!whole)}>
            Full names
          </button>
        )}
        <CopyButton label="Copy as CSV" text={() => csvOf(grid.columns, rows)} />
      </div>
      <div class="grid-scroll" tabIndex={0} role="region" aria-label={label}>
        <table>
          <thead>
            <tr>
              {grid.columns.map((column, index) => (
                <Head
                  key={column.label}
                  column={column}
                  scale={scales[index] ?? { unit: "", by: 1 }}
                  sorted={sorted(index)}
                  onSort={() => setOrder(nextOrder(order, index, column.kind))}
                />
              ))}
              {grid.spots.size > 0 && (
                <th scope="col" class="spot-cell">
                  <span class="visually-hidden">On the timeline</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              <tr key={index}>
                {grid.columns.map((column, at) => (
                  <CellView
                    key={column.label}
                    value={row[at] ?? null}
                    column={column}
                    scale={scales[at] ?? { unit: "", by: 1 }}
                  />
                ))}
                {grid.spots.size > 0 && (
                  <td class="spot-cell">
                    {onSpot && grid.spots.has(row) && (
                      <SpotButton spot={grid.spots.get(row)!} about={aboutOf(row)} onShow={onSpot} />
                    )}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length === 0 && <p class="hint">No row holds this text.</p>}
      {rows.length > FIRST_ROWS && (
        <button type="button" class="link more" onClick={() => setAll(!all)}>
          {all ? `Show the first ${FIRST_ROWS}` : `Show all ${count(rows.length)}`}
        </button>
      )}
    </div>
  );
}
