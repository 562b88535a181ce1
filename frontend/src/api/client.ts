// GET requests to the plugin's own routes; every address is relative to the page's <base href>.

import type { CompareAnswer, NamesAnswer, RanksAnswer, ReportAnswer, RunsAnswer } from "./answers";

/** The server did not answer, or not with what was asked for. */
export class Unreachable extends Error {}

/** No file has this id any more. */
export class NoSuchFile extends Error {}

export interface Fetched<T> {
  body: T;
  etag: string | null;
  /** The server's clock, so that ages do not depend on this machine's; ms since 1970. */
  served_ms: number;
}

/** The answer of a route; `signal` calls the question off, which throws an `AbortError`. */
export async function request(
  address: string,
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
): Promise<Response> {
  try {
    return await fetch(address, { headers, credentials: "same-origin", signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable(error instanceof Error ? error.message : String(error));
  }
}

export async function read<T>(response: Response): Promise<Fetched<T>> {
  if (!response.ok) throw new Unreachable(`the server answered ${response.status}`);
  const date = Date.parse(response.headers.get("date") ?? "");
  try {
    return {
      body: (await response.json()) as T,
      etag: response.headers.get("etag"),
      served_ms: Number.isNaN(date) ? Date.now() : date,
    };
  } catch {
    throw new Unreachable("the answer was cut off or is not JSON");
  }
}

export async function fetchRuns(): Promise<Fetched<RunsAnswer>> {
  return read(await request("./runs"));
}

/** An answer about files; null where it is still the one that `etag` names. */
async function fetchAnswer<T>(address: string, etag: string | null): Promise<Fetched<T> | null> {
  const headers = etag === null ? {} : { "If-None-Match": etag };
  const response = await request(address, headers);
  if (response.status === 304) return null;
  if (response.status === 404) throw new NoSuchFile(address);
  return read(response);
}

/** The report of a file; null where it is still the one that `etag` names. */
export async function fetchReport(id: string, etag: string | null): Promise<Fetched<ReportAnswer> | null> {
  return fetchAnswer(`./report?file=${encodeURIComponent(id)}`, etag);
}

/** The comparison of two files; null where it is still the one that `etag` names. */
export async function fetchComparison(
  baseline: string,
  candidate: string,
  etag: string | null,
): Promise<Fetched<CompareAnswer> | null> {
  const sides = `baseline=${encodeURIComponent(baseline)}&candidate=${encodeURIComponent(candidate)}`;
  return fetchAnswer(`./compare?${sides}`, etag);
}

/** What a file contains, by name; null where it is still the answer that `etag` names. */
export async function fetchNames(id: string, etag: string | null): Promise<Fetched<NamesAnswer> | null> {
  return fetchAnswer(`./names?file=${encodeURIComponent(id)}`, etag);
}

/** What the files of all ranks say together; null where it is still the answer that `etag` names. */
export async function fetchRanks(id: string, etag: string | null): Promise<Fetched<RanksAnswer> | null> {
  return fetchAnswer(`./ranks?file=${encodeURIComponent(id)}`, etag);
}
