"""Where on the timeline the findings of a report show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tb_plugin_explain.findings import Finding, Spans
from tb_plugin_explain.timeline.pyramid import Column
from tb_plugin_explain.timeline.schema import CallOut, CallOutSpan
from tb_plugin_explain.trace.model import NONE


def _spans(finding: Finding, lane_of_event: Column, by_ordinal: Column) -> Iterator[CallOutSpan]:
    """The events of a finding's evidence that the timeline shows."""
    spans = [span for evidence in finding.evidence if isinstance(evidence, Spans) for span in evidence.spans]
    for span in spans:
        if span.event is not None and span.event < len(by_ordinal) and by_ordinal[span.event] != NONE:
            lane = int(lane_of_event[by_ordinal[span.event]])
            yield CallOutSpan(span.event, lane, span.start_us, span.duration_us)


def find_call_outs(findings: Sequence[Finding], lane_of_event: Column, by_ordinal: Column) -> list[CallOut]:
    """One call-out for each finding whose evidence holds events.

    by_ordinal: the number of each event by its index in the file, -1 where it is not shown.
    """
    found = []
    for number, finding in enumerate(findings, 1):
        evidence = set(_spans(finding, lane_of_event, by_ordinal))
        spans = sorted(evidence, key=lambda s: (s.start_us, s.event))
        if spans:
            end_us = max(s.start_us + s.duration_us for s in spans)
            found.append(CallOut(number, finding.rule, spans[0].start_us, end_us, spans))
    return found
