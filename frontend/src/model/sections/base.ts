// What the sections below the findings consist of, and the words that they share.

import type { Report } from "../../api/types";
import { plural, ranges, sentence } from "../format";
import type { Column, Grid, Kind, Row } from "../grid";
import { spotOfEvent, type Spot } from "../spots";

/** Lines over one axis; `steps`: whether x counts steps, else it is µs. Null breaks the line. */
export interface Curve {
  label: string;
  unit: "us" | "bytes" | "count";
  steps: boolean;
  x: readonly number[];
  /** Where the axis begins and ends; null: with the points. */
  ends: readonly [number, number] | null;
  lines: readonly { name: string; look: string; y: readonly (number | null)[] }[];
  /** A point that is named, and what is said of it. */
  mark: { x: number; y: number; text: string } | null;
}

export interface Part {
  title: string;
  note: string;
  grid: Grid | null;
  curve: Curve | null;
}

export interface Section {
  id: string;
  title: string;
  /** What the section says in a line, while it is folded. */
  lead: string;
  parts: readonly Part[];
  /** Figures that are missing, each with its reason. */
  missing: readonly string[];
}

export type Make = (report: Report) => Section | null;

export function column(label: string, kind: Kind = "us", meaning = ""): Column {
  return { label, kind, ...(meaning === "" ? {} : { meaning }) };
}

export const text = (label: string): Column => ({ label, kind: "text" });
export const code = (label: string): Column => ({ label, kind: "text", mono: true });
export const path = (label: string): Column => ({ label, kind: "text", mono: true, tail: true });

export function table(
  columns: readonly Column[],
  rows: readonly Row[],
  title = "",
  note = "",
  spots: Grid["spots"] = NO_SPOTS,
): Part {
  return { title, note, grid: { columns, rows, spots }, curve: null };
}

const NO_SPOTS: Grid["spots"] = new Map();

/** Where the timeline shows each row; in the order of the rows. */
export function spotsOf(rows: readonly Row[], spots: readonly (Spot | null)[]): Grid["spots"] {
  return new Map(rows.flatMap((row, index) => (spots[index] ? [[row, spots[index]] as const] : [])));
}

/** The longest event of each row. */
export function longest(
  rows: readonly Row[],
  found: readonly { longest_event: number | null }[],
): Grid["spots"] {
  return spotsOf(
    rows,
    found.map((each) => spotOfEvent(each.longest_event)),
  );
}

export function drawn(curve: Curve, title = "", note = ""): Part {
  return { title, note, grid: null, curve };
}

export function reasons(not_measured: Readonly<Record<string, string>>): string[] {
  return Object.entries(not_measured).map(([name, reason]) => {
    const words = name.replace(/_(us|bytes)$/, "").replaceAll("_", " ");
    return sentence(`${words}: ${reason}`);
  });
}

export function averaged(report: Report): string {
  const numbers = report.headline.steps.filter((number) => number !== null);
  return numbers.length === 0 ? "the recording" : `step${numbers.length > 1 ? "s" : ""} ${ranges(numbers)}`;
}

export function sums(report: Report): string {
  return `Sums over ${averaged(report)}.`;
}

export function left(count: number, noun: string): string {
  return count > 0 ? ` ${plural(count, `more ${noun}`)} not listed.` : "";
}

export function stepText(step: number | null): string {
  return step === null ? "all" : `${step}`;
}
