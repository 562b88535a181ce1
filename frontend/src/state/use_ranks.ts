import type { RanksAnswer } from "../api/answers";
import { fetchRanks } from "../api/client";
import { useAsked, type Asked } from "./use_asked";

/** What the files of all ranks say together that were recorded with one file; null asks nothing. */
export function useRanks(id: string | null, visible: boolean): Asked<RanksAnswer> {
  return useAsked(id, fetchRanks, visible);
}
