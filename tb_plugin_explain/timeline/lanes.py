"""The order in which lanes are shown, and what each is called and does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from tb_plugin_explain.timeline.basis import Basis
from tb_plugin_explain.timeline.layout import PlacedLane
from tb_plugin_explain.timeline.schema import LaneInfo, LaneRole
from tb_plugin_explain.trace.categories import GPU_WORK
from tb_plugin_explain.trace.model import Category
from tb_plugin_explain.wording import to_us

_KIND_ORDER = ("thread", "stream", "overhead", "other")
_ROLE_ORDER = ("stepping", "backward", "compute", "communication", "copy", None)


def _stream_role(basis: Basis, lane: PlacedLane) -> LaneRole | None:
    """What a stream spends most of its time with; None without work."""
    events, gpu = basis.trace.events, basis.gpu
    rows = lane.rows[np.isin(events.category[lane.rows], GPU_WORK)]
    if not len(rows):
        return None
    time = np.maximum(events.duration_ns[rows], 0)
    communicates = np.isin(rows, gpu.row[gpu.communication])
    copies = events.category[rows] != Category.KERNEL
    spent: dict[LaneRole, int] = {
        "compute": int(time[~communicates & ~copies].sum()),
        "communication": int(time[communicates].sum()),
        "copy": int(time[copies].sum()),
    }
    return max(spent, key=lambda role: spent[role])


def _role(basis: Basis, lane: PlacedLane) -> LaneRole | None:
    if lane.kind == "stream":
        return _stream_role(basis, lane)
    if lane.kind != "thread":
        return None
    if lane.trace_lane == basis.stepping_lane:
        return "stepping"
    return "backward" if basis.backward.running[lane.rows].any() else None


def _device(basis: Basis, lane: PlacedLane) -> int | None:
    device = basis.trace.events.device[lane.rows]
    known = device[device >= 0]
    return int(known[0]) if lane.kind == "stream" and len(known) else None


def _stream_name(basis: Basis, lane: PlacedLane) -> str:
    """As its work names it, else the name of its lane."""
    trace = basis.trace
    stream = trace.events.stream[lane.rows]
    known = stream[stream >= 0]
    return trace.streams[int(known[0])].key if len(known) else trace.lanes[lane.trace_lane].tid


def _label(basis: Basis, lane: PlacedLane) -> str:
    about = basis.trace.lanes[lane.trace_lane]
    if lane.kind == "stream":
        return f"Stream {_stream_name(basis, lane)}"
    if lane.kind == "overhead":
        return "Profiler and driver overhead"
    return about.thread_name or (f"Thread {about.tid}" if lane.kind == "thread" else about.tid)


def _info(basis: Basis, lane: PlacedLane) -> LaneInfo:
    events, about = basis.trace.events, basis.trace.lanes[lane.trace_lane]
    origin_ns = basis.origin_ns
    return LaneInfo(
        id=0,
        kind=lane.kind,
        label=_label(basis, lane),
        process=about.pid,
        rows=lane.height,
        events=len(lane.rows),
        start_us=to_us(int(events.start_ns[lane.rows].min()) - origin_ns),
        end_us=to_us(int(events.end_ns_of(lane.rows).max()) - origin_ns),
        role=_role(basis, lane),
        thread=None if lane.kind == "stream" else about.tid,
        stream=_stream_name(basis, lane) if lane.kind == "stream" else None,
        device=_device(basis, lane),
    )


def order_lanes(
    basis: Basis, placed: Sequence[PlacedLane]
) -> tuple[Sequence[PlacedLane], Sequence[LaneInfo]]:
    """Threads (the stepping one first), streams by device and use, overhead, others."""
    infos = [_info(basis, lane) for lane in placed]

    def place(i: int) -> tuple[int, int, int, int, int]:
        info = infos[i]
        device = -1 if info.device is None else info.device
        return _KIND_ORDER.index(info.kind), device, _ROLE_ORDER.index(info.role), -info.events, i

    order = sorted(range(len(placed)), key=place)
    lanes = [placed[i] for i in order]
    return lanes, [replace(infos[i], id=number) for number, i in enumerate(order)]
