"""From the analyses of a trace to the columns of its timeline.

Events that are shown are numbered by lane, row and start; (lane, row) is a track. All times count
from the first step's start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tb_plugin_explain.analyses.launch_latency import PARTS
from tb_plugin_explain.findings import Finding
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.timeline import schema, tables
from tb_plugin_explain.timeline.call_outs import find_call_outs
from tb_plugin_explain.timeline.lanes import order_lanes
from tb_plugin_explain.timeline.layout import PlacedLane, lay_out
from tb_plugin_explain.timeline.pyramid import build_tracks, to_columns
from tb_plugin_explain.timeline.shading import Shaded, find_shaded
from tb_plugin_explain.trace.arguments import ArgumentReader
from tb_plugin_explain.trace.model import NONE, Int64s
from tb_plugin_explain.wording import to_us


@dataclass(frozen=True, eq=False)
class BuiltTimeline:
    """What the page needs first, and the columns that windows come from."""

    timeline: schema.Timeline
    columns: Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class _Numbered:
    """The events in their order: row of the trace, lane and track of each; first track of each lane."""

    row: Int64s
    lane: Int64s
    track: Int64s
    first_track: Int64s

    def number_of_row(self, rows: int) -> Int64s:
        number = np.full(rows, NONE, np.int64)
        number[self.row] = np.arange(len(self.row))
        return number


def _numbered(lanes: Sequence[PlacedLane]) -> _Numbered:
    """Rows of a lane stand by start already, so that a stable sort by depth orders them."""
    none = np.zeros(0, np.int64)
    orders = [np.argsort(lane.depth.astype(np.uint16), kind="stable") for lane in lanes]
    first_track = np.cumsum([0, *(lane.height for lane in lanes)])
    pairs = list(zip(lanes, orders, strict=True))
    return _Numbered(
        np.concatenate([none, *(lane.rows[order] for lane, order in pairs)]),
        np.repeat(np.arange(len(lanes)), [len(lane.rows) for lane in lanes]),
        np.concatenate(
            [none, *(lane.depth[order] + first_track[i] for i, (lane, order) in enumerate(pairs))]
        ),
        first_track,
    )


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
    track = np.repeat(np.arange(len(shaded)), [len(s.when) for s in shaded])
    categories = np.zeros(1, np.uint8)
    kind = np.zeros(len(start), np.int64)
    tracks = build_tracks(track, start - origin_ns, end - start, kind, categories, len(shaded))
    return to_columns(tracks, "shade")


def _text_columns(run: RunAnalyses) -> dict[str, npt.NDArray[Any]]:
    """Where in the file's text the events lie; empty where there is no file."""
    reader = run.trace.fetch_args
    ordinals, offsets = reader.places if isinstance(reader, ArgumentReader) else ([], [])
    return {"text_ordinals": np.array(ordinals, np.int64), "text_offsets": np.array(offsets, np.int64)}


def _event_columns(run: RunAnalyses, numbered: _Numbered, length_ns: Int64s) -> dict[str, npt.NDArray[Any]]:
    events, rows, origin_ns = run.trace.events, numbered.row, run.recording.origin_ns
    number = numbered.number_of_row(len(events))
    lane_of_row = np.full(len(events), NONE, np.int64)
    lane_of_row[rows] = numbered.lane
    kind, kinds = tables.find_kinds(run, rows)
    tracks = build_tracks(
        numbered.track,
        events.start_ns[rows] - origin_ns,
        length_ns[rows],
        kind,
        kinds["kind_category"],
        int(numbered.first_track[-1]),
    )
    return {
        **to_columns(tracks, "event"),
        **kinds,
        **tables.ordinal_table(events.ordinal[rows]),
        **tables.find_launch_table(run, number, lane_of_row),
        **tables.find_latency_table(run, number),
        **tables.find_forward_table(run, number),
        **tables.find_cut_table(run, rows, length_ns[rows]),
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
        **_event_columns(run, numbered, layout.length_ns),
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
    )
    return BuiltTimeline(timeline, columns)
