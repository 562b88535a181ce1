// Where each group of two typical steps is drawn: both steps as stacks on one scale, joined where they match.

import type { FusionGroup, GroupKind, GroupSide, GroupSummary } from "../api/types";
import { count, time } from "./format";

/** In the order of the stacks: what matches stands opposite, what has no counterpart at the ends. */
export const KINDS: readonly { kind: GroupKind; label: string; meaning: string }[] = [
  { kind: "unchanged", label: "Unchanged", meaning: "The same kernel or operator in both runs." },
  { kind: "replaced", label: "Replaced", meaning: "Another kernel does the same work." },
  { kind: "fused", label: "Fused", meaning: "One kernel does what several did." },
  {
    kind: "dispatch_fused",
    label: "Merged calls",
    meaning: "One operator does what several did, with the GPU kernel that ran before.",
  },
  { kind: "removed", label: "Removed", meaning: "Only the baseline has it." },
  { kind: "added", label: "Added", meaning: "Only the candidate has it." },
  {
    kind: "unattributed",
    label: "Not attributed",
    meaning: "What belongs to it in the other run is not known.",
  },
];

export function kindWords(kind: GroupKind): { label: string; meaning: string } {
  return KINDS.find((entry) => entry.kind === kind) ?? { label: kind, meaning: "" };
}

/** One side of a segment: pixels from the top of the stack. */
export interface Piece {
  top: number;
  height: number;
  /** Where its label stands, which keeps clear of the others. */
  label: number;
  text: string;
}

export interface Segment {
  key: string;
  kind: GroupKind;
  title: string;
  baseline: Piece | null;
  candidate: Piece | null;
}

export interface FusionMap {
  height: number;
  segments: readonly Segment[];
}

const LEAST_HEIGHT = 280;
const LABEL = 36;
const MOST_SEGMENTS = 9;
const LEAST_PIECE = 1.5;

/** `13 × · 4.38 ms` */
export function sideText(side: GroupSide): string {
  return side.events === 0 ? "none" : `${count(side.events)} × · ${time(side.time_us)}`;
}

interface Item {
  key: string;
  kind: GroupKind;
  title: string;
  us: readonly [number, number];
  texts: readonly [string, string];
}

function size(group: FusionGroup): number {
  return Math.max(group.baseline.time_us, group.candidate.time_us);
}

function item(group: FusionGroup, index: number): Item {
  return {
    key: `${index}`,
    kind: group.kind,
    title: group.title,
    us: [group.baseline.time_us, group.candidate.time_us],
    texts: [sideText(group.baseline), sideText(group.candidate)],
  };
}

/** The smaller groups of a kind as one, so that their labels have room; the table has them one by one. */
function rest(kind: GroupKind, groups: readonly FusionGroup[]): Item {
  const sum = (side: "baseline" | "candidate"): number =>
    groups.reduce((total, group) => total + group[side].time_us, 0);
  const us = [sum("baseline"), sum("candidate")] as const;
  const title = `${count(groups.length)} smaller groups`;
  return { key: `rest ${kind}`, kind, title, us, texts: ["in the table below", "in the table below"] };
}

function items(groups: readonly FusionGroup[]): Item[] {
  const sorted = groups
    .map((group, index) => ({ group, index }))
    .sort((a, b) => size(b.group) - size(a.group));
  const large = new Set(sorted.slice(0, MOST_SEGMENTS).map(({ index }) => index));
  return KINDS.flatMap(({ kind }) => {
    const own = sorted.filter(({ group }) => group.kind === kind);
    const small = own.filter(({ index }) => !large.has(index));
    const shown = small.length === 1 ? own : own.filter(({ index }) => large.has(index));
    const found = shown.map(({ group, index }) => item(group, index));
    return small.length < 2
      ? found
      : [
          ...found,
          rest(
            kind,
            small.map(({ group }) => group),
          ),
        ];
  });
}

/** Moves labels apart, as little as it takes, within the height. */
function spread(wanted: readonly number[], height: number): number[] {
  const places = [...wanted];
  for (let i = 0; i < places.length; i++) {
    const least = i === 0 ? LABEL / 2 : (places[i - 1] ?? 0) + LABEL;
    places[i] = Math.max(places[i] ?? 0, least);
  }
  for (let i = places.length - 1; i >= 0; i--) {
    const most = i === places.length - 1 ? height - LABEL / 2 : (places[i + 1] ?? height) - LABEL;
    places[i] = Math.min(places[i] ?? 0, most);
  }
  return places;
}

function stack(found: readonly Item[], side: 0 | 1, unit: number, height: number): (Piece | null)[] {
  let top = 0;
  const pieces = found.map((entry): Piece | null => {
    if (entry.us[side] <= 0) return null;
    const piece = {
      top,
      height: Math.max(LEAST_PIECE, entry.us[side] * unit),
      label: 0,
      text: entry.texts[side],
    };
    top += entry.us[side] * unit;
    return piece;
  });
  const known = pieces.filter((piece) => piece !== null);
  const labels = spread(
    known.map((piece) => piece.top + piece.height / 2),
    height,
  );
  known.forEach((piece, index) => (piece.label = labels[index] ?? 0));
  return pieces;
}

/** Null where there is nothing to draw. */
export function fusionMap(groups: readonly FusionGroup[], summary: GroupSummary): FusionMap | null {
  const longest = Math.max(summary.baseline_us, summary.candidate_us);
  if (groups.length === 0 || longest <= 0) return null;
  const found = items(groups);
  const height = Math.max(LEAST_HEIGHT, found.length * LABEL);
  const unit = height / longest;
  const baseline = stack(found, 0, unit, height);
  const candidate = stack(found, 1, unit, height);
  return {
    height,
    segments: found.map(({ key, kind, title }, index) => ({
      key,
      kind,
      title,
      baseline: baseline[index] ?? null,
      candidate: candidate[index] ?? null,
    })),
  };
}

/** Groups for the table: what differs most first, then what takes longest; each with its place in the list. */
export function byChange(groups: readonly FusionGroup[]): { group: FusionGroup; key: string }[] {
  const change = ({ baseline, candidate }: FusionGroup): number =>
    Math.abs(candidate.time_us - baseline.time_us);
  return groups
    .map((group, index) => ({ group, key: `${index}` }))
    .sort((a, b) => change(b.group) - change(a.group) || size(b.group) - size(a.group));
}
