// The findings on the timeline: the same numbers in the list and on the drawing.

import type { CallOut, CallOutSpan, Finding, Report, Timeline, Verdict } from "../../api/types";
import { listFindings } from "../findings";
import { spanOf, type View } from "./view";

export interface Story {
  number: number;
  /** The finding's name in the address. */
  key: string;
  finding: Finding;
  verdict: Verdict;
  stake: string;
  note: string;
  /** By start. */
  spans: readonly CallOutSpan[];
}

/** Names of the events that a finding rests on. */
function namesOf(finding: Finding): Map<number, string> {
  const spans = finding.evidence.flatMap((each) => (each.kind === "spans" ? each.spans : []));
  return new Map(spans.flatMap((span) => (span.event === null ? [] : [[span.event, span.name]])));
}

/**
 * The events of a finding that it is about: calls rather than what the GPU ran meanwhile, and anything
 * rather than the steps that they are in.
 */
function telling(
  finding: Finding,
  spans: readonly CallOutSpan[],
  lanes: Timeline["lanes"],
): readonly CallOutSpan[] {
  const names = namesOf(finding);
  const inside = spans.filter((span) => !names.get(span.event)?.startsWith("ProfilerStep"));
  const calls = inside.filter((span) => lanes[span.lane]?.kind === "thread");
  return [calls, inside, spans].find((some) => some.length > 0) ?? spans;
}

/** Findings that have events to show, with the most at stake first, numbered from 1 in this order. */
export function storiesOf(timeline: Timeline, report: Report): Story[] {
  const byPlace = new Map<number, CallOut>(timeline.call_outs.map((call) => [call.number, call]));
  const found = listFindings(report).flatMap(({ key, finding, stake, note }) => {
    const call = byPlace.get(report.findings.indexOf(finding) + 1);
    if (!call || call.rule !== finding.rule) return [];
    return [
      {
        ...{ key, finding, verdict: finding.verdict, stake, note },
        spans: telling(finding, call.spans, timeline.lanes),
      },
    ];
  });
  return found.map((story, index) => ({ number: index + 1, ...story }));
}

/** The story that an event of a thread is evidence of; work on the GPU is only what ran meanwhile. */
export function storyOf(
  stories: readonly Story[],
  timeline: Pick<Timeline, "lanes">,
  event: number | null,
): Story | null {
  const isIt = (span: CallOutSpan): boolean =>
    span.event === event && timeline.lanes[span.lane]?.kind === "thread";
  return stories.find((story) => story.spans.some(isIt)) ?? null;
}

/** Where a story is told best: its longest event, in a range of time where it has any there. */
export function longestSpan(story: Story, within: View | null): CallOutSpan {
  const inside = story.spans.filter(
    (span) => within !== null && span.start_us >= within.from && span.start_us < within.to,
  );
  const from = inside.length > 0 ? inside : story.spans;
  return from.reduce((best, span) => (span.duration_us > best.duration_us ? span : best));
}

export interface Marker {
  number: number;
  verdict: Verdict;
  lane: number;
  event: number;
  /** Of the drawing, px: where the line stands, and where the number, moved aside from others. */
  x: number;
  labelX: number;
}

const LABEL_ROOM = 22;

/** One marker a story: at the longest of its events in sight. */
export function markersOf(stories: readonly Story[], view: View, width: number): Marker[] {
  const scale = width / spanOf(view);
  const markers = stories.flatMap((story) => {
    const seen = story.spans.filter((s) => s.start_us < view.to && s.start_us + s.duration_us > view.from);
    if (seen.length === 0) return [];
    const span = seen.reduce((best, each) => (each.duration_us > best.duration_us ? each : best));
    const from = Math.max(span.start_us, view.from);
    const to = Math.min(span.start_us + span.duration_us, view.to);
    const x = ((from + to) / 2 - view.from) * scale;
    return [
      { number: story.number, verdict: story.verdict, lane: span.lane, event: span.event, x, labelX: x },
    ];
  });
  markers.sort((a, b) => a.x - b.x);
  let last = -Infinity;
  for (const marker of markers) {
    marker.labelX = Math.max(Math.min(marker.x, width - LABEL_ROOM / 2), last + LABEL_ROOM);
    last = marker.labelX;
  }
  return markers;
}
