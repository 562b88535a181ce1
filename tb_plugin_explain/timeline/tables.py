"""What is known of single events beside their place: kinds, launches, latencies, forward operators.

Events are numbered by lane, row and start, see ``build``. Every table is a set of columns of equal length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.timeline.roles import ANNOTATION, CALL, MODULE, OPERATOR, SOURCE
from tb_plugin_explain.trace import frames
from tb_plugin_explain.trace.model import NONE, Category, Int64s, Trace, UInt8s
from tb_plugin_explain.trace.steps import is_step

Columns = dict[str, npt.NDArray[Any]]


def find_kinds(run: RunAnalyses, rows: Int64s) -> tuple[Int64s, Columns]:
    """The kind (name and category) of each event, and the table of kinds.

    rows: row of the trace of each event.
    """
    events = run.trace.events
    key = events.name[rows].astype(np.int64) * 256 + events.category[rows]
    keys, first, kind = np.unique(key, return_index=True, return_inverse=True)
    kind = kind.reshape(-1)
    duration = np.maximum(events.duration_ns[rows], 0)
    averaged = _in_averaged(run)[rows]
    counts = len(keys)
    return kind, {
        "kind_name": keys // 256,
        "kind_category": (keys % 256).astype(np.uint8),
        "kind_is": _roles(run.trace, rows[first]),
        "kind_first": _earliest(kind, events.start_ns[rows], counts),
        "kind_count": np.bincount(kind, minlength=counts),
        "kind_total_ns": _sums(kind, duration, counts),
        "kind_averaged_count": np.bincount(kind[averaged], minlength=counts),
        "kind_averaged_total_ns": _sums(kind[averaged], duration[averaged], counts),
        "kind_averaged_median_ns": _medians(kind[averaged], duration[averaged], counts),
    }


def _in_averaged(run: RunAnalyses) -> npt.NDArray[np.bool_]:
    """Whether each row belongs to an averaged step: GPU work by its launch, all else by its start."""
    marked = run.in_averaged.copy()
    marked[run.recording.gpu.row] = np.isin(run.recording.step_of_gpu, run.averaged)
    return marked


def _roles(trace: Trace, rows: Int64s) -> UInt8s:
    category = trace.events.category[rows]
    step = is_step(trace)[rows]
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


def _earliest(kind: Int64s, start_ns: Int64s, count: int) -> Int64s:
    """Number of the earliest event of each kind."""
    order = np.argsort(start_ns, kind="stable")[::-1]
    first = np.zeros(count, np.int64)
    first[kind[order]] = order
    return first


def _sums(kind: Int64s, values: Int64s, count: int) -> Int64s:
    total = np.zeros(count, np.int64)
    np.add.at(total, kind, values)
    return total


def _medians(kind: Int64s, values: Int64s, count: int) -> npt.NDArray[np.float64]:
    """The median of each kind's values, NaN where it has none."""
    order = np.argsort(values, kind="stable")
    order = order[np.argsort(kind[order], kind="stable")]
    bounds = np.searchsorted(kind[order], np.arange(count + 1))
    low, high = bounds[:-1], bounds[1:]
    found = np.full(count, np.nan)
    real = high > low
    middle = (low + high)[real]
    ordered = values[order]
    found[real] = (ordered[(middle - 1) // 2] + ordered[middle // 2]) / 2
    return found


def find_launch_table(run: RunAnalyses, event_of_row: Int64s, lane_of_row: Int64s) -> Columns:
    """GPU events and their calls, once by GPU event and once by the call's lane and start."""
    gpu = run.recording.gpu
    linked = np.flatnonzero(gpu.linked)
    work, call = event_of_row[gpu.row[linked]], event_of_row[gpu.launch[linked]]
    by_work = np.argsort(work, kind="stable")
    lane, start = lane_of_row[gpu.launch[linked]], gpu.launch_start_ns[linked] - run.recording.origin_ns
    by_call = np.lexsort((gpu.start_ns[linked], start, lane))
    return {
        "launched_work": work[by_work],
        "launched_by": call[by_work],
        "call_lane": lane[by_call],
        "call_start_ns": start[by_call],
        "call_work": work[by_call],
    }


def find_latency_table(run: RunAnalyses, event_of_row: Int64s) -> Columns:
    """Latency and parts of the first kernel of each launch and device, by event."""
    latencies = run.latencies
    kernel = event_of_row[run.recording.gpu.row[latencies.kernel]]
    order = np.argsort(kernel, kind="stable")
    return {
        "latency_kernel": kernel[order],
        "latency_ns": latencies.latency_ns[order],
        "latency_parts_ns": latencies.parts_ns[order],
    }


def find_forward_table(run: RunAnalyses, event_of_row: Int64s) -> Columns:
    """Backward nodes and the operators of the forward pass that they belong to, by node."""
    forward = run.origins.backward.forward
    rows = np.flatnonzero(forward != NONE)
    node = event_of_row[rows]
    order = np.argsort(node, kind="stable")
    return {"backward_node": node[order], "backward_forward": event_of_row[forward[rows]][order]}


def find_cut_table(run: RunAnalyses, rows: Int64s, drawn_ns: Int64s) -> Columns:
    """Events that are drawn shorter than they are, and how long they are; by event."""
    whole = np.maximum(run.trace.events.duration_ns[rows], 0)
    cut = np.flatnonzero(whole != drawn_ns)
    return {"cut_event": cut, "cut_whole_ns": whole[cut]}


def find_name_table(trace: Trace) -> Columns:
    """The names as UTF-8, one after the other; ``name_ends`` begins with 0."""
    encoded = [name.encode("utf-8", "replace") for name in trace.names]
    ends = np.cumsum([0, *map(len, encoded)])
    return {"name_bytes": np.frombuffer(b"".join(encoded), np.uint8), "name_ends": ends}


def ordinal_table(ordinal: Int64s) -> Columns:
    """The number of each event by its index in the file, -1 where it is not shown."""
    numbers = np.full(int(ordinal.max(initial=-1)) + 1, NONE, np.int64)
    numbers[ordinal] = np.arange(len(ordinal))
    return {"ordinal": ordinal, "by_ordinal": numbers}
