"""From the analyses of a trace to the columns of its timeline.

Events that are shown are numbered by lane, row and start; (lane, row) is a track. All times count
from the first step's start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from tb_plugin_explain.analyses.launch_latency import PARTS
from tb_plugin_explain.findings import Finding
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.timeline import schema, tables
from tb_plugin_explain.timeline.call_outs import find_call_outs
from tb_plugin_explain.timeline.human_names import find_human_names
from tb_plugin_explain.timeline.lanes import order_lanes
from tb_plugin_explain.timeline.layout import PlacedLane, lay_out
from tb_plugin_explain.timeline.pyramid import build_tracks, to_columns
from tb_plugin_explain.timeline.shading import Shaded, find_shaded
from tb_plugin_explain.timeline.store import narrowed
from tb_plugin_explain.trace.arguments import ArgumentReader
from tb_plugin_explain.trace.model import NONE, Int32s, Int64s
from tb_plugin_explain.wording import to_us


class BuiltTimeline(Struct, frozen=True, eq=False):
    """What the page needs first, and the columns that windows come from."""

    timeline: schema.Timeline
    columns: Mapping[str, npt.NDArray[Any]]


class _Numbered(Struct, frozen=True, eq=False):
    """The events in their order.

    row: of the trace. lane: of each event. first_track: of each lane, and the end of the last. offsets: the
    first event of each track, and the end of the last.
    """

    row: Int64s
    lane: npt.NDArray[np.uint16]
    first_track: Int64s
    offsets: Int64s

    def number_of_row(self, rows: int) -> Int32s:
        number = np.full(rows, NONE, np.int32)
        number[self.row] = np.arange(len(self.row), dtype=np.int32)
        return number


def _numbered(lanes: Sequence[PlacedLane]) -> _Numbered:
    """Rows of a lane stand by start already, so that a stable sort by depth orders them."""
    row = [lane.rows[np.argsort(lane.depth, kind="stable")] for lane in lanes]
    sizes = [np.bincount(lane.depth, minlength=lane.height) for lane in lanes]
    return _Numbered(
        np.concatenate([np.zeros(0, np.int64), *row]),
        np.repeat(np.arange(len(lanes), dtype=np.uint16), [len(lane.rows) for lane in lanes]),
        np.cumsum([0, *(lane.height for lane in lanes)]),
        np.cumsum(np.concatenate([[0], *sizes])).astype(np.int64),
    )


def _drawn_ns(run: RunAnalyses, rows: Int64s) -> Int64s:
    """How long each event is drawn; an event of a thread ends where nesting cuts it."""
    nesting = run.origins.nesting
    length = np.maximum(run.trace.events.duration_ns, 0)
    length[nesting.order] = nesting.length_ns[nesting.order]
    return length[rows]


def _steps(run: RunAnalyses) -> list[schema.StepSpan]:
    trace, origin_ns = run.trace, run.recording.origin_ns
    return [
        schema.StepSpan(
            s.step.number,
            None if s.step.process is None else trace.processes[s.step.process],
            to_us(s.step.start_ns - origin_ns),
            to_us(s.step.duration_ns),
            s.settled.settled,
            s.index in run.averaged,
        )
        for s in run.steps
    ]


def _shades(shaded: Sequence[Shaded], lanes: Sequence[PlacedLane]) -> list[schema.Shade]:
    number = {lane.trace_lane: i for i, lane in enumerate(lanes) if lane.kind == "thread"}
    return [
        schema.Shade(
            s.cause,
            None if s.trace_lane is None else number[s.trace_lane],
            s.device,
            to_us(s.when.length_ns),
        )
        for s in shaded
    ]


def _shade_columns(shaded: Sequence[Shaded], origin_ns: int) -> dict[str, npt.NDArray[Any]]:
    none = np.zeros(0, np.int64)
    start = np.concatenate([none, *(s.when.start_ns for s in shaded)])
    end = np.concatenate([none, *(s.when.end_ns for s in shaded)])
    offsets = np.cumsum([0, *(len(s.when) for s in shaded)])
    kind = np.zeros(len(start), np.uint8)
    tracks = build_tracks(offsets, start - origin_ns, end - start, kind, np.zeros(1, np.uint8))
    return to_columns(tracks, "shade")


def _text_columns(run: RunAnalyses) -> dict[str, npt.NDArray[Any]]:
    """Where in the file's text the events lie; empty where there is no file."""
    reader = run.trace.fetch_args
    ordinals, offsets = reader.places if isinstance(reader, ArgumentReader) else ([], [])
    return {"text_ordinals": np.array(ordinals, np.int64), "text_offsets": np.array(offsets, np.int64)}


def _event_columns(run: RunAnalyses, numbered: _Numbered) -> dict[str, npt.NDArray[Any]]:
    events, rows, origin_ns = run.trace.events, numbered.row, run.recording.origin_ns
    number, drawn_ns = numbered.number_of_row(len(events)), _drawn_ns(run, rows)
    kind, kinds = tables.find_kinds(run, rows)
    tracks = build_tracks(
        numbered.offsets,
        narrowed(events.start_ns[rows] - origin_ns),
        narrowed(drawn_ns),
        narrowed(kind),
        kinds["kind_category"],
    )
    return {
        **to_columns(tracks, "event"),
        **kinds,
        **tables.ordinal_table(events.ordinal[rows]),
        **tables.find_launch_table(run, number, numbered.lane),
        **tables.find_invalid_table(run, number),
        **tables.find_busy_table(run),
        **tables.find_latency_table(run, number),
        **tables.find_forward_table(run, number),
        **tables.find_cut_table(run, rows, drawn_ns),
        **tables.find_name_table(run.trace),
        "first_track": numbered.first_track,
    }


def build_timeline(run: RunAnalyses, findings: Sequence[Finding]) -> BuiltTimeline:
    """The timeline of one trace; ``findings``: of its report, in their order."""
    trace, origin_ns = run.trace, run.recording.origin_ns
    layout = lay_out(trace, run.origins.nesting)
    lanes, infos = order_lanes(run, layout.lanes)
    numbered = _numbered(lanes)
    shaded = find_shaded(run)
    columns = {
        **_event_columns(run, numbered),
        **_shade_columns(shaded, origin_ns),
        **_text_columns(run),
    }
    timeline = schema.Timeline(
        origin_ns=trace.meta.base_time_ns + origin_ns,
        start_us=min((lane.start_us for lane in infos), default=0.0),
        end_us=max((lane.end_us for lane in infos), default=0.0),
        events=len(numbered.row),
        names=len(trace.names),
        lanes=infos,
        steps=_steps(run),
        shades=_shades(shaded, lanes),
        call_outs=find_call_outs(findings, numbered.lane, columns["by_ordinal"]),
        not_shown=schema.NotShown(layout.instants, layout.lost),
        latency_parts=PARTS,
        human_names=find_human_names(trace, columns),
    )
    return BuiltTimeline(timeline, columns)
