import { describe, expect, it } from "vitest";
import type { CallOut, Report } from "../../../src/api/types";
import { longestSpan, markersOf, storiesOf, storyOf } from "../../../src/model/timeline/story";
import { fixture } from "../../fixtures";
import { TIMELINE } from "./blocks";

const span = (event: number, start_us: number, duration_us: number, lane = 0) => ({
  ...{ event, lane, start_us, duration_us },
});

function callOut(report: Report, place: number, spans: CallOut["spans"]): CallOut {
  const rule = report.findings[place - 1]!.rule;
  return { number: place, rule, start_us: 0, end_us: 100, spans };
}

const report = fixture("host_bound");
const SPANS = [span(1, 0, 5), span(2, 50, 20), span(3, 60, 5, 1)];

describe("stories", () => {
  const timeline = {
    ...TIMELINE,
    call_outs: [callOut(report, 2, SPANS), callOut(report, 1, [span(9, 5, 2)])],
  };
  const stories = storiesOf(timeline, report);

  it("are the findings that have events, numbered in the order of the list", () => {
    expect(stories.map((story) => story.number)).toEqual([1, 2]);
    expect(new Set(stories.map((story) => story.finding.rule))).toEqual(
      new Set([report.findings[0]!.rule, report.findings[1]!.rule]),
    );
  });

  it("leave a call-out of another report alone", () => {
    const call_outs = [{ ...callOut(report, 1, SPANS), rule: "of-another-version" }];
    expect(storiesOf({ ...TIMELINE, call_outs }, report)).toEqual([]);
  });

  it("are told at their longest event, of the step where it has one", () => {
    const story = { ...stories[0]!, spans: SPANS };
    expect(longestSpan(story, null).event).toBe(2);
    expect(longestSpan(story, { from: 0, to: 10 }).event).toBe(1);
    expect(longestSpan(story, { from: 200, to: 300 }).event).toBe(2);
  });

  it("are those of the threads’ events that they rest on, not of what ran meanwhile", () => {
    const story = { ...stories[0]!, spans: SPANS };
    expect(storyOf([story], TIMELINE, 2)).toBe(story);
    expect(storyOf([story], TIMELINE, 3)).toBeNull();
    expect(storyOf([story], TIMELINE, null)).toBeNull();
  });

  it("have one marker each where an event is in sight, and numbers never cover each other", () => {
    const near = [1, 2, 3, 4].map((number) => ({ ...stories[0]!, number, spans: [span(number, 50, 1)] }));
    const markers = markersOf(near, { from: 0, to: 100 }, 1000);
    expect(markers.map((marker) => marker.x)).toEqual([505, 505, 505, 505]);
    for (let i = 1; i < markers.length; i += 1)
      expect(markers[i]!.labelX - markers[i - 1]!.labelX).toBeGreaterThanOrEqual(17);
    expect(markersOf(near, { from: 0, to: 40 }, 1000)).toEqual([]);
  });
});
