"""What is known of single events beside their place: kinds, launches, latencies, forward operators.

Events are numbered by lane, row and start, see ``build``. Every table is a set of columns of equal length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tb_plugin_explain.timeline.basis import Basis
from tb_plugin_explain.timeline.pyramid import narrowed
from tb_plugin_explain.timeline.roles import ANNOTATION, CALL, MODULE, OPERATOR, SOURCE
from tb_plugin_explain.trace import frames
from tb_plugin_explain.trace.categories import GPU_WORK
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.links import is_valid_gpu_work
from tb_plugin_explain.trace.model import NONE, Category, Ids, Int32s, Int64s, Trace, UInt8s
from tb_plugin_explain.trace.spans import union

Columns = dict[str, npt.NDArray[Any]]

# More than there are, so that a name and a category make one key.
_CATEGORIES = 16


def find_kinds(basis: Basis, rows: Int64s) -> tuple[Int32s, Columns]:
    """The kind (name and category) of each event, and the table of kinds.

    rows: row of the trace of each event.
    """
    events = basis.trace.events
    kind, keys = _numbered_keys(events.name[rows] * _CATEGORIES + events.category[rows])
    duration = np.maximum(events.duration_ns[rows], 0)
    averaged = basis.in_averaged[rows]
    counts = len(keys)
    example = np.zeros(counts, np.int64)
    example[kind] = rows
    return kind, {
        "kind_name": keys // _CATEGORIES,
        "kind_category": (keys % _CATEGORIES).astype(np.uint8),
        "kind_is": _roles(basis.trace, example),
        "kind_first": _earliest(kind, events.start_ns[rows], counts),
        "kind_count": np.bincount(kind, minlength=counts),
        "kind_total_ns": _sums(kind, duration, counts),
        "kind_averaged_count": np.bincount(kind[averaged], minlength=counts),
        "kind_averaged_total_ns": _sums(kind[averaged], duration[averaged], counts),
        "kind_averaged_median_ns": _medians(kind[averaged], duration[averaged], counts),
    }


def _numbered_keys(key: Int32s) -> tuple[Int32s, Int64s]:
    """The place of each key among the distinct ones, and these; keys are small, so nothing is sorted."""
    present = np.zeros(int(key.max(initial=-1)) + 1, np.bool_)
    present[key] = True
    place = np.cumsum(present, dtype=np.int32) - 1
    return place[key], np.flatnonzero(present)


def _roles(trace: Trace, rows: Int64s) -> UInt8s:
    category = trace.events.category[rows]
    step = trace.is_step[rows]
    names = [trace.name_of(row) for row in rows.tolist()]
    python = category == Category.PYTHON
    module = python & np.array([frames.is_module_frame(name) for name in names], np.bool_)
    source = python & np.array([frames.is_user_frame(name) for name in names], np.bool_)
    roles: UInt8s = (
        SOURCE * source
        + MODULE * module
        + ANNOTATION * ((category == Category.ANNOTATION) & ~step)
        + OPERATOR * ((category == Category.CPU_OP) & ~step)
        + CALL * np.isin(category, (Category.RUNTIME, Category.DRIVER))
    ).astype(np.uint8)
    return roles


def _earliest(kind: Int32s, start_ns: Int64s, count: int) -> Int64s:
    """Number of the earliest event of each kind (tie: the one with the lowest number)."""
    earliest = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(earliest, kind, start_ns)
    candidates = np.flatnonzero(start_ns == earliest[kind])[::-1]
    first = np.zeros(count, np.int64)
    first[kind[candidates]] = candidates
    return first


def _sums(kind: Int32s, values: Int64s, count: int) -> Int64s:
    total = np.zeros(count, np.int64)
    np.add.at(total, kind, values)
    return total


def _medians(kind: Int32s, values: Int64s, count: int) -> npt.NDArray[np.float64]:
    """The median of each kind's values, NaN where it has none."""
    grouped = values[np.argsort(kind, kind="stable")]
    ends = np.cumsum(np.bincount(kind, minlength=count))
    parts = np.split(grouped, ends[:-1]) if count else []
    return np.array([np.median(part) if len(part) else np.nan for part in parts], np.float64)


def find_launch_table(basis: Basis, event_of_row: Int32s, lane_of_event: npt.NDArray[np.uint16]) -> Columns:
    """GPU events and their calls, once by GPU event and once by the call's lane and start."""
    gpu = basis.gpu
    linked = np.flatnonzero(gpu.linked)
    work, call = event_of_row[gpu.row[linked]], event_of_row[gpu.launch[linked]]
    by_work = np.argsort(work, kind="stable")
    lane, start = lane_of_event[call], gpu.launch_start_ns[linked] - basis.origin_ns
    by_call = np.lexsort((gpu.start_ns[linked], start, lane))
    return {
        "launched_work": work[by_work],
        "launched_by": call[by_work],
        "call_lane": lane[by_call],
        "call_start_ns": start[by_call],
        "call_work": work[by_call],
    }


def find_invalid_table(basis: Basis, event_of_row: Int32s) -> Columns:
    """GPU work of negative duration, in order: it is drawn, and no figure counts it."""
    drawn = basis.trace.is_category(*GPU_WORK) & (event_of_row != NONE)
    return {"invalid_work": np.sort(event_of_row[drawn & ~is_valid_gpu_work(basis.trace)])}


def find_busy_table(basis: Basis) -> Columns:
    """When each device worked: spans that neither overlap nor touch, by device and start."""
    gpu, origin_ns = basis.gpu, basis.origin_ns
    devices = distinct(gpu.device)
    busy = [union(gpu.start_ns[gpu.device == d], gpu.end_ns[gpu.device == d]) for d in devices.tolist()]
    none = np.zeros(0, np.int64)
    return {
        "busy_devices": devices,
        "busy_offsets": np.cumsum([0, *map(len, busy)]),
        "busy_start_ns": np.concatenate([none, *(spans.start_ns for spans in busy)]) - origin_ns,
        "busy_end_ns": np.concatenate([none, *(spans.end_ns for spans in busy)]) - origin_ns,
    }


def find_latency_table(basis: Basis, event_of_row: Int32s) -> Columns:
    """Latency and parts of the first kernel of each launch and device, by event."""
    latencies = basis.latencies
    kernel = event_of_row[basis.gpu.row[latencies.kernel]]
    order = np.argsort(kernel, kind="stable")
    return {
        "latency_kernel": kernel[order],
        "latency_ns": latencies.latency_ns[order],
        "latency_parts_ns": latencies.parts_ns[order],
    }


def find_forward_table(basis: Basis, event_of_row: Int32s) -> Columns:
    """Backward nodes and the operators of the forward pass that they belong to, by node."""
    forward = basis.backward.forward
    rows = np.flatnonzero(forward != NONE)
    node = event_of_row[rows]
    order = np.argsort(node, kind="stable")
    return {"backward_node": node[order], "backward_forward": event_of_row[forward[rows]][order]}


def find_cut_table(basis: Basis, rows: Int64s, drawn_ns: Int64s) -> Columns:
    """Events that are drawn shorter than they are, and how long they are; by event."""
    whole = np.maximum(basis.trace.events.duration_ns[rows], 0)
    cut = np.flatnonzero(whole != drawn_ns)
    return {"cut_event": cut, "cut_whole_ns": whole[cut]}


def find_name_table(trace: Trace) -> Columns:
    """The names as UTF-8, one after the other; ``name_ends`` begins with 0."""
    encoded = [name.encode("utf-8", "replace") for name in trace.names]
    ends = np.cumsum([0, *map(len, encoded)])
    return {"name_bytes": np.frombuffer(b"".join(encoded), np.uint8), "name_ends": ends}


def ordinal_table(ordinal: Ids) -> Columns:
    """The number of each event by its index in the file, -1 where it is not shown."""
    numbers = np.full(int(ordinal.max(initial=-1)) + 1, NONE, np.int32)
    numbers[ordinal] = np.arange(len(ordinal), dtype=np.int32)
    return {"ordinal": narrowed(ordinal), "by_ordinal": numbers}
