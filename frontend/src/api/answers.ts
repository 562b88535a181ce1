// What the routes answer beside the report itself; docs/http_api.md describes them.

import type { Comparison, Finding, RanksTogether, Report, SideName } from "./types";

export type FileState = "unread" | "queued" | "working" | "ready" | "error";

export interface TraceFile {
  id: string;
  file: string;
  worker: string | null;
  span: string | null;
  bytes: number;
  modified_s: number;
  state: FileState;
}

export interface Run {
  name: string;
  files: readonly TraceFile[];
}

export interface RunsAnswer {
  schema: number;
  version: string;
  /** What reads traces there: the scanner in C, or msgspec where that was not built. */
  engine: "c" | "msgspec";
  logdirs: readonly string[];
  scanned: boolean;
  /** Plain lines on what could not be looked at. */
  notes?: readonly string[];
  runs: readonly Run[];
}

export interface ReadError {
  kind: string;
  message: string;
  file: string | null;
  position: string | null;
}

export interface Working {
  state: "working";
  phase: string;
  share: number | null;
  elapsed_s: number;
}

export interface Queued {
  state: "queued";
  position: number | null;
}

export type ReportAnswer =
  { state: "ready"; report: Report } | Queued | Working | { state: "error"; error: ReadError };

export type CompareAnswer =
  | { state: "ready"; comparison: Comparison }
  | Queued
  | Working
  /** `side`: whose file it is; null where the error is about neither alone. */
  | { state: "error"; error: ReadError; side: SideName | null };

export type NameVerdict = "expected" | "artefact" | "depends" | "avoidable";

/** One name of a trace; `total_us`: its durations summed, what lies inside one another twice. */
export interface NameEntry {
  name: string;
  category: string;
  count: number;
  total_us: number;
  human: string;
  what: string;
  why: string;
  problem: string;
  verdict: NameVerdict;
}

/** The names with the most time first; `left_out`: how many more there are. */
export interface Names {
  entries: readonly NameEntry[];
  left_out: number;
}

export type NamesAnswer =
  { state: "ready"; names: Names } | Queued | Working | { state: "error"; error: ReadError };

/** What the files of all ranks say together; `unread`: names of those that could not be read. */
export interface Ranks {
  together: { communication: readonly RanksTogether[]; findings: readonly Finding[] };
  unread: readonly string[];
}

export type RanksAnswer =
  { state: "ready"; ranks: Ranks } | Queued | Working | { state: "error"; error: ReadError };
