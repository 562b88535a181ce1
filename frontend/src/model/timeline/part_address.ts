// A shaded part as an address has it: its cause, whose it is, from when to when, as `host,gpu0,45,55.5`.

import type { Timeline } from "../../api/types";
import { isCause, ownerKind, type Shaded } from "./shaded";

const NO_CAUSE = "outside";
const NOBODY = "all";
const PATTERN = /^([a-z_]+),(?:(gpu|lane)(\d{1,9})|all),(-?[\d.]{1,20}),(-?[\d.]{1,20})(?:,(cut|several))?$/;

/** Times to the nanosecond, as far as traces know them. */
const written = (us: number): number => Number(us.toFixed(3));

export function writePart({ cause, lane, device, start_us, end_us, extent }: Shaded): string {
  const whose = device !== null ? `gpu${device}` : lane !== null ? `lane${lane}` : NOBODY;
  const fields = [cause ?? NO_CAUSE, whose, written(start_us), written(end_us)];
  return [...fields, ...(extent === "whole" ? [] : [extent])].join(",");
}

/** Drawn times are rounded by less than this share of a recording. */
const ROUNDED = 1e-6;

function isWithin({ start_us, end_us }: Bounds, part: Pick<Shaded, "start_us" | "end_us">): boolean {
  const slack_us = (end_us - start_us) * ROUNDED;
  return part.start_us >= start_us - slack_us && part.end_us <= end_us + slack_us;
}

type Bounds = Pick<Timeline, "lanes" | "start_us" | "end_us">;

/** The part of an address, without what it is made of; null where it names none that the file could have. */
export function parsePart(text: string | null, timeline: Bounds): Shaded | null {
  const [, word = "", kind = "all", number, from, to, extent] = PATTERN.exec(text ?? "") ?? [];
  const cause = word === NO_CAUSE ? null : word;
  const [start_us, end_us] = [Number(from), Number(to)];
  const device = kind === "gpu" ? Number(number) : null;
  const lane = kind === "lane" ? Number(number) : null;
  if ((cause !== null && !isCause(cause)) || ownerKind(cause) !== kind) return null;
  if (!(start_us < end_us) || !isWithin(timeline, { start_us, end_us })) return null;
  if (lane !== null && timeline.lanes[lane]?.kind !== "thread") return null;
  if (device !== null && !timeline.lanes.some((each) => each.device === device)) return null;
  return {
    ...{ cause, lane, device, start_us, end_us, parts: [] },
    extent: extent === "cut" || extent === "several" ? extent : "whole",
  };
}
