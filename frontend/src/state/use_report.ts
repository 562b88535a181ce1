import type { ReportAnswer } from "../api/answers";
import { fetchReport } from "../api/client";
import { useAsked, type Asked } from "./use_asked";

export type ReportState = Asked<ReportAnswer>;

/** The report of a file. Asking starts its analysis; reports already read are shown at once. */
export function useReport(id: string | null, visible: boolean): ReportState {
  return useAsked(id, fetchReport, visible);
}
