// Tables that a reader sorts, filters and takes away: pure functions over rows of cells.

import type { Cell } from "../api/types";
import { bytes, count, significant } from "./format";
import type { Spot } from "./spots";

export type Kind = "text" | "us" | "bytes" | "count" | "share" | "ratio";

export interface Column {
  label: string;
  kind: Kind;
  /** One sentence on what the figure is. */
  meaning?: string;
  /** Text in the type of code. */
  mono?: boolean;
  /** Names whose ends differ: they are cut off at the start. */
  tail?: boolean;
}

export type Row = readonly Cell[];

export interface Grid {
  columns: readonly Column[];
  rows: readonly Row[];
  /** Of rows that the timeline can show: where. */
  spots: ReadonlyMap<Row, Spot>;
}

/** `column` null: in the order of the report. */
export interface Order {
  column: number | null;
  down: boolean;
}

/** What the next press on a column's head sorts by: figures from the largest, texts from A; then reversed. */
export function nextOrder(order: Order, column: number, kind: Kind): Order {
  if (order.column === column) return { column, down: !order.down };
  return { column, down: kind !== "text" };
}

function compare(a: Cell, b: Cell): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

/** In this order; what is missing comes last either way, and equal rows keep their order. */
export function sortRows(rows: readonly Row[], { column, down }: Order): readonly Row[] {
  if (column === null) return rows;
  return [...rows].sort((one, other) => {
    const [a, b] = [one[column] ?? null, other[column] ?? null];
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return down ? compare(b, a) : compare(a, b);
  });
}

/** The rows of which some text holds every word, whatever the case. */
export function filterRows(rows: readonly Row[], text: string): readonly Row[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const texts = row
      .filter((cell) => typeof cell === "string")
      .join("\n")
      .toLowerCase();
    return words.every((word) => texts.includes(word));
  });
}

/** The unit that a column's head names, and what its figures are divided by. */
export interface Scale {
  unit: string;
  by: number;
}

const TIMES: readonly Scale[] = [
  { unit: "s", by: 1e6 },
  { unit: "ms", by: 1e3 },
  { unit: "µs", by: 1 },
];

/** Of times, the unit of the largest; bytes keep a unit of their own in every cell. */
export function scaleOf(column: number, { columns, rows }: Grid): Scale {
  const kind = columns[column]?.kind;
  if (kind === "share") return { unit: "%", by: 0.01 };
  if (kind !== "us") return { unit: "", by: 1 };
  const most = rows.reduce((max, row) => Math.max(max, Math.abs(Number(row[column] ?? 0))), 0);
  return TIMES.find((scale) => most >= scale.by * 0.9995) ?? { unit: "µs", by: 1 };
}

export function cellText(value: Cell, kind: Kind, scale: Scale): string {
  if (value === null) return "–";
  if (typeof value === "string") return value;
  if (kind === "bytes") return bytes(value);
  if (kind === "share") return percentText(value * 100);
  if (kind === "count" && Number.isInteger(value)) return count(value);
  return scaledText(value / scale.by);
}

function percentText(percent: number): string {
  if (percent === 0) return "0";
  return percent < 0.05 ? "<0.1" : percent.toFixed(1);
}

/** Three significant digits; what is not 0 never reads so. */
function scaledText(value: number): string {
  if (value !== 0 && Math.abs(value) < 0.0005) return value < 0 ? ">−0.001" : "<0.001";
  return significant(value).replace("-", "−");
}

const CSV_UNITS: Readonly<Record<Kind, string>> = {
  text: "",
  us: " (µs)",
  bytes: " (bytes)",
  count: "",
  share: " (share of 1)",
  ratio: "",
};

/** A cell of a file of comma-separated values; a spreadsheet must not take text for a formula. */
function csvCell(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const guarded = /^\s*[=+\-@]|^[\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(guarded) || guarded !== guarded.trim()
    ? `"${guarded.replaceAll('"', '""')}"`
    : guarded;
}

/** All rows, in full: names whole, figures as the report has them. RFC 4180. */
export function csvOf(columns: readonly Column[], rows: readonly Row[]): string {
  const head = columns.map((column) => csvCell(column.label + CSV_UNITS[column.kind]));
  return [head, ...rows.map((row) => row.map(csvCell))].map((cells) => `${cells.join(",")}\r\n`).join("");
}
