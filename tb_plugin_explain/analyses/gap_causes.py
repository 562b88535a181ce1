"""The causes of each single gap, by the rules that split a step's idle time.

docs/definitions.md, ``idle_by_cause`` and ``host_by``; docs/definitions/gaps.md. Invariants: the causes of
a gap sum to its length; over the gaps of a step they sum to the step's.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.gpu_gaps import Gaps
from tb_plugin_explain.analyses.gpu_idle import CAUSES, HOST_CLASSES, LONGEST_LAUNCH_NS
from tb_plugin_explain.analyses.host_activity import CLASSES, HostActivity, ThreadActivity
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Bools, Int64s
from tb_plugin_explain.trace.spans import Spans


class GapCauses(Struct, frozen=True, eq=False):
    """Nanoseconds of each gap: ``by_cause`` (gap, ``CAUSES``) and ``host_by`` (gap, ``HOST_CLASSES``)."""

    by_cause: Int64s
    host_by: Int64s

    def where(self, chosen: Bools | Int64s | slice) -> GapCauses:
        """Those of some of the gaps."""
        return GapCauses(self.by_cause[chosen], self.host_by[chosen])

    @property
    def sums(self) -> tuple[dict[str, int], dict[str, int]]:
        """Nanoseconds of all gaps together, by cause and by class."""
        causes = dict(zip(CAUSES, self.by_cause.sum(axis=0).tolist(), strict=True))
        return causes, dict(zip(HOST_CLASSES, self.host_by.sum(axis=0).tolist(), strict=True))


class _Pieces(Struct, frozen=True, eq=False):
    """Parts of intervals; ``of``: index of the interval."""

    start_ns: Int64s
    end_ns: Int64s
    of: Int64s

    def without(self, spans: Spans) -> _Pieces:
        """What a set of time leaves of each piece."""
        if not len(spans):
            return self
        first = np.searchsorted(spans.end_ns, self.start_ns, side="right")
        last = np.maximum(np.searchsorted(spans.start_ns, self.end_ns, side="left"), first)
        count = last - first + 1
        index = np.repeat(np.arange(len(count)), count)
        nth = np.arange(len(index)) - np.repeat(np.cumsum(count) - count, count)
        span = np.minimum(first[index] + nth, len(spans) - 1)
        before = np.maximum(first[index] + nth - 1, 0)
        start = np.where(nth == 0, self.start_ns[index], spans.end_ns[before])
        end = np.where(nth == count[index] - 1, self.end_ns[index], spans.start_ns[span])
        real = end > start
        return _Pieces(start[real], end[real], self.of[index[real]])

    def measure(self, spans: Spans, intervals: int) -> Int64s:
        """How much of each interval lies in its pieces and in a set of time."""
        return self._sum(spans.covered(self.start_ns, self.end_ns), intervals)

    def lengths(self, intervals: int) -> Int64s:
        return self._sum(self.end_ns - self.start_ns, intervals)

    def _sum(self, values: Int64s, intervals: int) -> Int64s:
        total = np.zeros(intervals, np.int64)
        np.add.at(total, self.of, values)
        return total


def _before_launch(pieces: _Pieces, count: int, thread: ThreadActivity, stepping: ThreadActivity) -> Int64s:
    """(gap, class and python): what the threads did before L; see ``host_activity.measure``."""
    uncovered = pieces.without(thread.covered)
    spent = np.zeros((count, len(CLASSES) + 1), np.int64)
    for i, name in enumerate(CLASSES):
        spent[:, i] = pieces.measure(thread.doing[name], count)
        spent[:, i] += uncovered.measure(stepping.doing[name], count)
    spent[:, -1] = pieces.lengths(count) - spent.sum(axis=1)
    return spent


def _host(gaps: Gaps, ready_ns: Int64s, taken: Spans, host: HostActivity, stepping: ThreadActivity) -> Int64s:
    """(gap, input and ``HOST_CLASSES``) before C, without the time that other causes took."""
    columns = ("input", *HOST_CLASSES)
    count = len(gaps.start_ns)
    spent = np.zeros((count, len(columns)), np.int64)
    launched = np.clip(gaps.launch_ns, gaps.start_ns, gaps.end_ns)
    for lane in distinct(gaps.lane[gaps.linked]).tolist():
        mine = np.flatnonzero(gaps.linked & (gaps.lane == lane))
        thread = host.of_thread(lane)
        before = _Pieces(gaps.start_ns[mine], launched[mine], mine).without(taken)
        spent += _before_launch(before, count, thread, stepping)
        inside = _Pieces(launched[mine], ready_ns[mine], mine).without(taken)
        loading = inside.measure(thread.loading, count)
        spent[:, columns.index("loading")] += loading
        spent[:, columns.index("launch_call")] += inside.lengths(count) - loading
    return spent


def analyze(
    gaps: Gaps, profiler: Spans, taken: Spans, host: HostActivity, stepping: ThreadActivity
) -> GapCauses:
    """The causes of each gap; the arguments are those of ``gpu_idle.analyze``."""
    length = gaps.end_ns - gaps.start_ns
    launched = np.clip(gaps.launch_ns, gaps.start_ns, gaps.end_ns)
    ready = np.where(gaps.linked, np.clip(gaps.ready_ns, launched, gaps.end_ns), gaps.end_ns)
    in_profiler = profiler.covered(gaps.start_ns, gaps.end_ns)
    in_taken = taken.covered(gaps.start_ns, gaps.end_ns)
    host_by = _host(gaps, ready, taken, host, stepping)
    rest = gaps.end_ns - ready - taken.covered(ready, gaps.end_ns)
    lost = rest > LONGEST_LAUNCH_NS
    dependent = ~lost & gaps.dependent & (gaps.ready_ns <= gaps.start_ns)
    causes: Mapping[str, Int64s] = {
        "profiler": in_profiler,
        "sync_bubble": in_taken - in_profiler,
        "input": host_by[:, 0],
        "host": host_by[:, 1:].sum(axis=1),
        "dependency": np.where(dependent, rest, 0),
        "launch": np.where(lost | dependent, 0, rest),
        "unknown": np.where(gaps.linked, 0, length - in_taken) + np.where(lost, rest, 0),
    }
    return GapCauses(np.stack([causes[name] for name in CAUSES], axis=1), host_by[:, 1:])
