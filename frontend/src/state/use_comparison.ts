import type { CompareAnswer } from "../api/answers";
import { fetchComparison, type Fetched } from "../api/client";
import { useAsked, type Asked } from "./use_asked";

function ask(question: string, etag: string | null): Promise<Fetched<CompareAnswer> | null> {
  const [baseline = "", candidate = ""] = question.split(" ");
  return fetchComparison(baseline, candidate, etag);
}

/** The comparison of two files, by their ids; null: not both are chosen. */
export function useComparison(
  ids: { baseline: string; candidate: string } | null,
  visible: boolean,
): Asked<CompareAnswer> {
  return useAsked(ids === null ? null : `${ids.baseline} ${ids.candidate}`, ask, visible);
}
