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
from tb_plugin_explain.timeline import schema, tables
from tb_plugin_explain.timeline.basis import Basis
from tb_plugin_explain.timeline.call_outs import find_call_outs
from tb_plugin_explain.timeline.human_names import find_human_names
from tb_plugin_explain.timeline.lanes import order_lanes
from tb_plugin_explain.timeline.layout import lay_out
from tb_plugin_explain.timeline.pyramid import Tracks, build_tracks, narrowed, to_columns
from tb_plugin_explain.timeline.shading import Shaded
from tb_plugin_explain.trace.arguments import ArgumentReader
from tb_plugin_explain.trace.model import NONE, Int32s, Int64s, Trace
from tb_plugin_explain.wording import to_us


class BuiltTimeline(Struct, frozen=True, eq=False):
    """What the page needs first, and the columns that windows come from."""

    timeline: schema.Timeline
    columns: Mapping[str, npt.NDArray[Any]]


class _Placed(Struct, frozen=True, eq=False):
    """The lanes, and the events in their order.

    lane_of_thread: by lane of the file. row: of the trace. lane: of each event. first_track: of each lane,
    and the end of the last. offsets: the first event of each track, and the end of the last.
    """

    infos: Sequence[schema.LaneInfo]
    lane_of_thread: Mapping[int, int]
    not_shown: schema.NotShown
    row: Int64s
    lane: npt.NDArray[np.uint16]
    first_track: Int64s
    offsets: Int64s

    def number_of_row(self, rows: int) -> Int32s:
        number = np.full(rows, NONE, np.int32)
        number[self.row] = np.arange(len(self.row), dtype=np.int32)
        return number


def _placed(basis: Basis) -> _Placed:
    """Rows of a lane stand by start already, so that a stable sort by depth orders them."""
    layout = lay_out(basis.trace, basis.nesting)
    lanes, infos = order_lanes(basis, layout.lanes)
    row = [lane.rows[np.argsort(lane.depth, kind="stable")] for lane in lanes]
    sizes = [np.bincount(lane.depth, minlength=lane.height) for lane in lanes]
    return _Placed(
        infos,
        {lane.trace_lane: i for i, lane in enumerate(lanes) if lane.kind == "thread"},
        schema.NotShown(layout.instants, layout.lost),
        np.concatenate([np.zeros(0, np.int64), *row]),
        np.repeat(np.arange(len(lanes), dtype=np.uint16), [len(lane.rows) for lane in lanes]),
        np.cumsum([0, *(lane.height for lane in lanes)]),
        np.cumsum(np.concatenate([[0], *sizes])).astype(np.int64),
    )


def _drawn_ns(basis: Basis, rows: Int64s) -> Int64s:
    """How long each event is drawn; an event of a thread ends where nesting cuts it."""
    nesting = basis.nesting
    length = np.maximum(basis.trace.events.duration_ns, 0)
    length[nesting.order] = nesting.length_ns[nesting.order]
    return length[rows]


def _shades(shaded: Sequence[Shaded], lane_of_thread: Mapping[int, int]) -> list[schema.Shade]:
    return [
        schema.Shade(
            s.cause,
            None if s.trace_lane is None else lane_of_thread[s.trace_lane],
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


def _text_columns(trace: Trace) -> dict[str, npt.NDArray[Any]]:
    """Where in the file's text the events lie; empty where there is no file."""
    reader = trace.fetch_args
    ordinals, offsets = reader.places if isinstance(reader, ArgumentReader) else ([], [])
    return {"text_ordinals": np.array(ordinals, np.int64), "text_offsets": np.array(offsets, np.int64)}


def _event_tracks(basis: Basis, placed: _Placed) -> tuple[Tracks, tables.Columns, tables.Columns]:
    """The rectangles, the table of kinds and that of events that are drawn shorter."""
    events, rows = basis.trace.events, placed.row
    drawn_ns = _drawn_ns(basis, rows)
    cut, drawn = tables.find_cut_table(basis, rows, drawn_ns), narrowed(drawn_ns)
    del drawn_ns
    kind, kinds = tables.find_kinds(basis, rows)
    start = narrowed(events.start_ns[rows] - basis.origin_ns)
    tracks = build_tracks(placed.offsets, start, drawn, narrowed(kind), kinds["kind_category"])
    return tracks, kinds, cut


def _event_columns(basis: Basis, placed: _Placed) -> dict[str, npt.NDArray[Any]]:
    trace = basis.trace
    tracks, kinds, cut = _event_tracks(basis, placed)
    number = placed.number_of_row(len(trace.events))
    return {
        **to_columns(tracks, "event"),
        **kinds,
        **tables.ordinal_table(trace.events.ordinal[placed.row]),
        **tables.find_launch_table(basis, number, placed.lane),
        **tables.find_invalid_table(basis, number),
        **tables.find_busy_table(basis),
        **tables.find_latency_table(basis, number),
        **tables.find_forward_table(basis, number),
        **cut,
        **tables.find_name_table(trace),
        "first_track": placed.first_track,
    }


def build_timeline(basis: Basis, findings: Sequence[Finding]) -> BuiltTimeline:
    """The timeline of one trace; ``findings``: of its report, in their order."""
    trace, origin_ns = basis.trace, basis.origin_ns
    placed = _placed(basis)
    columns = {
        **_event_columns(basis, placed),
        **_shade_columns(basis.shaded, origin_ns),
        **_text_columns(trace),
    }
    lanes = placed.infos
    timeline = schema.Timeline(
        origin_ns=trace.meta.base_time_ns + origin_ns,
        start_us=min((lane.start_us for lane in lanes), default=0.0),
        end_us=max((lane.end_us for lane in lanes), default=0.0),
        events=len(placed.row),
        names=len(trace.names),
        lanes=lanes,
        steps=basis.steps,
        shades=_shades(basis.shaded, placed.lane_of_thread),
        call_outs=find_call_outs(findings, placed.lane, columns["by_ordinal"]),
        not_shown=placed.not_shown,
        latency_parts=PARTS,
        human_names=find_human_names(trace, columns),
    )
    return BuiltTimeline(timeline, columns)
