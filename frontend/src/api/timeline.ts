// The routes of the timeline; docs/http_api.md describes them.

import type { Queued, ReadError, Working } from "./answers";
import { NoSuchFile, read, request, Unreachable } from "./client";
import type { EventDetails, InView, SearchResult, Timeline } from "./types";

/** What a route answers that needs an analysis first. */
export type Answer<Ready> =
  ({ state: "ready" } & Ready) | Queued | Working | { state: "error"; error: ReadError };

export interface Explanation {
  human: string;
  what: string;
  why: string;
  problem: string;
  verdict: "expected" | "artefact" | "depends" | "avoidable";
  library: string | null;
  operation: string | null;
  dtype: string | null;
  tile: string | null;
  tensor_cores: boolean | null;
  fused_ops: readonly string[];
  direction: string | null;
  collective: string | null;
  sources: readonly string[];
  telling: boolean;
}

export interface Argument {
  name: string;
  value: string;
  whole: boolean;
}

export type TimelineAnswer = Answer<{ timeline: Timeline }>;
export type EventAnswer = Answer<{ details: EventDetails; explanation: Explanation }>;
export type ArgumentsAnswer = Answer<{ args: { arguments: readonly Argument[]; left_out: number } }>;
export type InViewAnswer = Answer<{ in_view: InView }>;
export type SearchAnswer = Answer<{ result: SearchResult }>;

const id = encodeURIComponent;

export const timelineAddress = (file: string): string => `./timeline?file=${id(file)}`;
export const eventAddress = (file: string, event: number): string =>
  `./event?file=${id(file)}&event=${event}`;
export const argumentsAddress = (file: string, event: number): string =>
  `./event/args?file=${id(file)}&event=${event}`;

/** The figures of a range in µs from the first step’s start. */
export function inViewAddress(file: string, range: { from: number; to: number }): string {
  const from_ns = Math.round(range.from * 1000);
  const to_ns = Math.max(Math.round(range.to * 1000), from_ns + 1);
  return `./timeline/in_view?file=${id(file)}&from=${from_ns}&to=${to_ns}`;
}

export interface SearchQuery {
  text: string;
  limit: number;
  /** Only events that begin later than this, in ns; null: from the first one on. */
  after_ns: number | null;
}

export function searchAddress(file: string, { text, limit, after_ns }: SearchQuery): string {
  const after = after_ns === null ? "" : `&after=${after_ns}`;
  return `./search?file=${id(file)}&q=${id(text)}&limit=${limit}${after}`;
}

/** An answer in JSON. */
export async function ask<T>(address: string, signal: AbortSignal): Promise<T> {
  const response = await request(address, {}, signal);
  if (response.status === 404) throw new NoSuchFile(address);
  return (await read<T>(response)).body;
}

export interface WindowQuery {
  from_ns: number;
  to_ns: number;
  pixels: number;
}

/** The block of a window; null where the timeline is not there yet. */
export async function askWindow(
  file: string,
  { from_ns, to_ns, pixels }: WindowQuery,
  signal: AbortSignal,
): Promise<ArrayBuffer | null> {
  const address = `./timeline/window?file=${id(file)}&from=${from_ns}&to=${to_ns}&px=${pixels}`;
  const response = await request(address, {}, signal);
  if (!response.ok) throw new Unreachable(`the server answered ${response.status}`);
  const type = response.headers.get("content-type") ?? "";
  return type.startsWith("application/json") ? null : response.arrayBuffer();
}
