// What the files of several ranks say together, as a table.

import type { RanksTogether } from "../api/types";
import { plural, ranges, time } from "./format";
import type { Grid } from "./grid";
import { column, text } from "./sections/base";

/** Waiting and transfer of each rank in the collectives that all of them leave together. */
export function ranksGrid(cycle: RanksTogether, shown: number | null): Grid {
  const rows = cycle.by_rank.map((rank) => [
    rank.rank === shown ? `${rank.rank}, this file` : `${rank.rank}`,
    rank.time_us,
    rank.waiting_us,
    rank.time_us > 0 ? rank.waiting_us / rank.time_us : null,
    cycle.transfer_us,
    rank.late_count,
    rank.late_us,
  ]);
  return {
    columns: [
      text("rank"),
      column("in collectives", "us", "Durations of the collectives that all ranks leave together."),
      column("waiting for others", "us", "What is longer than on the rank that needed least."),
      column("waiting part", "share"),
      column("transfer", "us", "The shortest duration among the ranks, which is the same for all."),
      column("came late", "count", "How often the rank came last, by more than 20 µs."),
      column("late by", "us", "How much earlier the others could have left, summed."),
    ],
    rows,
    spots: new Map(),
  };
}

export function ranksNote({ steps, collectives, transfer_us, reason }: RanksTogether): string {
  const numbers = steps.filter((number) => number !== null);
  const when =
    numbers.length === 0 ? "the recording" : `step${numbers.length > 1 ? "s" : ""} ${ranges(numbers)}`;
  if (reason !== null || collectives === null) return `Nothing can be told apart in ${when}: ${reason}.`;
  return `${plural(collectives, "collective")} in ${when}; the transfer takes ${time(transfer_us ?? 0)} on every rank.`;
}
