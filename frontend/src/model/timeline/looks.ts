// What kind of work a rectangle shows; each look has one colour.

import type { LaneInfo } from "../../api/types";
import { nameOf, type Block } from "./block";

export const LOOKS = [
  "python",
  "annotation",
  "dispatch",
  "launch",
  "compute",
  "communication",
  "copy",
  "profiler",
  "gpu_annotation",
  "sync_row",
  "other",
  "step",
] as const;
export type Look = (typeof LOOKS)[number];

/** By the category's number in a block. */
const OF_CATEGORY: readonly Look[] = [
  "other",
  "dispatch",
  "annotation",
  "gpu_annotation",
  "launch",
  "launch",
  "compute",
  "copy",
  "copy",
  "profiler",
  "python",
  "sync_row",
  "other",
];
const CATEGORY_NAMES = [
  "other",
  "operator",
  "annotation",
  "annotation on the GPU",
  "call to the GPU runtime",
  "call to the GPU driver",
  "kernel",
  "copy",
  "memset",
  "profiler or driver overhead",
  "Python",
  "wait, seen from the GPU",
  "instant",
] as const;
export const COMMUNICATION =
  /nccl|rccl|mscclpp|nvshmem|rocshmem|cross_device_reduce|multimem_all|(?:one|two)_shot_all_reduce/i;
const KERNEL = 6;
const ANNOTATION = 2;

export function categoryName(category: number): string {
  return CATEGORY_NAMES[category] ?? "event";
}

/** Whether a rectangle of this category is a call, which can be a wait. */
export function isCall(category: number): boolean {
  return category === 4 || category === 5;
}

/** The look of every rectangle of a block, as places in `LOOKS`. */
export function looksOf(block: Block, lanes: readonly LaneInfo[]): Uint8Array {
  const communicates = block.names.map((name) => COMMUNICATION.test(name));
  const isStep = block.names.map((name) => name.startsWith("ProfilerStep"));
  const place = (look: Look): number => LOOKS.indexOf(look);
  const plain = OF_CATEGORY.map(place);
  const looks = new Uint8Array(block.start.length);
  for (const track of block.tracks) {
    const lane = lanes[track.lane];
    for (let i = track.first; i < track.end; i += 1) {
      const category = block.category[i]!;
      looks[i] = plain[category] ?? place("other");
      const name = block.name[i]!;
      if (category === KERNEL && (communicates[name] ?? lane?.role === "communication"))
        looks[i] = place("communication");
      else if (category === ANNOTATION && isStep[name]) looks[i] = place("step");
      else if (
        lane?.kind === "overhead" ||
        (lane?.kind === "other" && nameOf(block, i)?.includes("Profiler"))
      )
        looks[i] = place("profiler");
    }
  }
  return looks;
}
