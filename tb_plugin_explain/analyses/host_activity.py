"""What a thread of the host was doing at each instant, by the first class that matches.

docs/definitions.md, ``gpu[].host_by``. Invariant: the classes are disjoint and lie in ``covered``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.grouping import Groups
from tb_plugin_explain.trace.model import Bools, Category
from tb_plugin_explain.trace.spans import Spans, nothing, subtract, union, unite

# In the order of the definition; `python` is what remains.
CLASSES = (
    "input",
    "loading",
    "allocator",
    "wait",
    "launch_call",
    "compile_lookup",
    "optimizer",
    "op_dispatch",
)


class ThreadActivity(Struct, frozen=True):
    """One thread: when any event covers it, and when each class is what it was doing.

    loading: all its loading calls, also those in the data loader, which ``doing`` counts as input.
    """

    covered: Spans
    loading: Spans
    doing: Mapping[str, Spans]


IDLE_THREAD = ThreadActivity(nothing(), nothing(), {name: nothing() for name in CLASSES})


class HostActivity:
    """The activity of every thread of a recording, computed when first asked for."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._threads: dict[int, ThreadActivity] = {}

    @cached_property
    def _rows_of_lane(self) -> Groups:
        trace = self._recording.trace
        lanes = np.where(trace.lost, -1, trace.events.lane)
        return Groups(lanes.astype(np.int64), len(trace.lanes))

    @cached_property
    def _masks(self) -> Mapping[str, Bools]:
        trace, kinds = self._recording.trace, self._recording.kinds
        return {
            "input": trace.names_where(vocabulary.is_data_loader),
            "loading": kinds.loading,
            "allocator": kinds.allocator,
            "wait": kinds.explicit_wait | kinds.implicit_wait,
            "launch_call": kinds.call,
            "compile_lookup": trace.names_where(vocabulary.is_before_compiled_code),
            "optimizer": trace.names_where(vocabulary.is_optimizer),
            "op_dispatch": trace.is_category(Category.CPU_OP) & ~trace.is_step,
        }

    def of_thread(self, lane: int | None) -> ThreadActivity:
        """The activity of one lane; of no lane, nothing."""
        if lane is None:
            return IDLE_THREAD
        if lane not in self._threads:
            self._threads[lane] = self._analyze(lane)
        return self._threads[lane]

    def _analyze(self, lane: int) -> ThreadActivity:
        events = self._recording.trace.events
        rows = self._rows_of_lane[lane]
        rows = rows[np.argsort(events.start_ns[rows], kind="stable")]  # once, so that no union has to
        start, end = events.start_ns[rows], events.end_ns_of(rows)
        taken = before = nothing()
        doing = {}
        for name, mask in self._masks.items():
            taken = unite(taken, before)
            chosen = mask[rows]
            before = doing[name] = subtract(union(start[chosen], end[chosen]), taken)
        loads = self._masks["loading"][rows]
        return ThreadActivity(union(start, end), union(start[loads], end[loads]), doing)


def measure(when: Spans, thread: ThreadActivity, otherwise: ThreadActivity) -> Iterator[tuple[str, int]]:
    """How long a time was spent in each class, by one thread and, where none of its events is, by another."""
    uncovered = subtract(when, thread.covered)
    for name in CLASSES:
        own = thread.doing[name].covered(when.start_ns, when.end_ns).sum()
        other = otherwise.doing[name].covered(uncovered.start_ns, uncovered.end_ns).sum()
        yield name, int(own + other)
