import type { NamesAnswer } from "../api/answers";
import { fetchNames } from "../api/client";
import { useAsked, type Asked } from "./use_asked";

/** What a file contains, by name. */
export function useNames(id: string, visible: boolean): Asked<NamesAnswer> {
  return useAsked(id, fetchNames, visible);
}
