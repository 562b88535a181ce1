"""What the profiler's modes recorded, and its own work (docs/definitions/profiler_cost.md).

Invariant: a kind's time outside steps is at most its whole time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from tb_plugin_explain.analyses.memory_events import MEMORY_EVENT
from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import NONE, Category, Int64s

RECORDS = ("python_frames", "memory_events", "shape_records")


class OverheadKind(Struct, frozen=True):
    """Profiler overhead of one name; steps: indices of the steps in which one begins."""

    name: str
    count: int
    total_ns: int
    longest_ns: int
    steps: Sequence[int]
    outside_ns: int


def _rows_of(recording: Recording) -> Mapping[str, Int64s]:
    trace = recording.trace
    real = ~trace.lost
    steps = trace.is_step
    operators, memory = trace.details.operators, trace.details.memory
    instants = trace.names_where(MEMORY_EVENT.__eq__) & real
    return {
        "python_frames": np.flatnonzero(trace.is_category(Category.PYTHON) & real),
        "memory_events": memory.row[instants[memory.row]],
        "shape_records": operators.row[(operators.shape != NONE) & ~steps[operators.row]],
    }


def count_records(recording: Recording) -> Mapping[str, npt.NDArray[np.int64]]:
    """How much each mode recorded, by step."""
    events, steps = recording.trace.events, len(recording.steps)
    counts = {}
    for name, rows in _rows_of(recording).items():
        owner = recording.windows.owner(events.start_ns[rows], events.process[rows])
        counts[name] = np.bincount(owner[owner >= 0], minlength=steps).astype(np.int64)
    return counts


def find_overhead(recording: Recording) -> Sequence[OverheadKind]:
    """The profiler's own work by name, the longest first."""
    trace, events = recording.trace, recording.trace.events
    rows = overhead_rows(recording)
    owner = recording.windows.owner_in_any(events.start_ns[rows])
    duration = events.end_ns_of(rows) - events.start_ns[rows]
    kinds = []
    for name in distinct(events.name[rows]).tolist():
        mine = events.name[rows] == name
        kinds.append(
            OverheadKind(
                name=trace.names[name],
                count=int(mine.sum()),
                total_ns=int(duration[mine].sum()),
                longest_ns=int(duration[mine].max()),
                steps=distinct(owner[mine & (owner >= 0)]).tolist(),
                outside_ns=int(duration[mine & (owner < 0)].sum()),
            )
        )
    return sorted(kinds, key=lambda k: (-k.total_ns, k.name))


def overhead_rows(recording: Recording) -> Int64s:
    """Rows of the profiler's own work."""
    return np.flatnonzero(recording.kinds.overhead_profiler)
