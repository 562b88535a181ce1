"""What the kernels of the averaged steps cost, by name and by shape of launch.

docs/definitions/kernels.md. Invariant: the rows' counts and times sum to those of all kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from tb_plugin_explain.analyses.averaged_work import AveragedWork
from tb_plugin_explain.analyses.grouped import Grouped, group
from tb_plugin_explain.analyses.kernel_spread import Floats, Spreads, find_spreads
from tb_plugin_explain.analyses.longest import longest_of
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Bools, Category, Int64s, Trace


class Short(Struct, frozen=True):
    """Kernels that are alone in their launch (judged), and those shorter than its call."""

    judged: int
    count: int
    time_ns: int
    call_ns: int


class Occupancy(Struct, frozen=True):
    """percent: weighted with time over the kernels that have one; known_ns: how long these ran."""

    percent: float | None
    known_ns: int


class ShapeRow(Struct, frozen=True):
    """slowest: index of the step with the largest mean duration, slowest_ns: that mean."""

    shape: str | None
    count: int
    time_ns: int
    median_ns: float
    spread: float | None
    between: float | None
    slowest: int | None
    slowest_ns: float | None


class KernelRow(Struct, frozen=True, dict=True):
    """All kernels of one name; ``shapes``: by time, the largest first. longest: row of the longest."""

    name: str
    communication: bool
    count: int
    time_ns: int
    typical_count: int
    typical_ns: int
    min_ns: int
    median_ns: float
    max_ns: int
    longest: int
    launch_calls: int
    graph_count: int
    short: Short
    occupancy: Occupancy
    shapes: Sequence[ShapeRow]

    @cached_property
    def varied(self) -> ShapeRow | None:
        """The most expensive shape with a spread within steps."""
        return next((s for s in self.shapes if s.spread is not None), None)

    @cached_property
    def compared(self) -> ShapeRow | None:
        """The most expensive shape with a spread between steps."""
        return next((s for s in self.shapes if s.between is not None), None)


def _by_row(table_row: Int64s, column: npt.NDArray[np.generic], rows: Int64s, missing: float) -> Floats:
    """A detail of each row, ``missing`` where the table does not have it."""
    result = np.full(len(rows), missing)
    if len(table_row):
        at = np.minimum(np.searchsorted(table_row, rows), len(table_row) - 1)
        known = table_row[at] == rows
        result[known] = column[at[known]]
    return result


class KernelTable:
    """The kernels of the averaged steps, one element each in every column."""

    def __init__(self, trace: Trace, work: AveragedWork) -> None:
        gpu = work.gpu
        kernels = gpu.kind[work.position] == Category.KERNEL
        self._trace = trace
        self.work = work
        self.position = work.position[kernels]
        self.step = work.step[kernels]
        self.duration_ns = work.duration_ns[kernels]
        self.name = gpu.name[self.position].astype(np.int64)
        details = trace.details.kernels
        rows = gpu.row[self.position]
        self.shape = _by_row(details.row, details.shape, rows, -1).astype(np.int64)
        self.occupancy = _by_row(details.row, details.occupancy_percent, rows, np.nan)

    @cached_property
    def call_ns(self) -> Int64s:
        """How long each kernel's launch call took; 0 without one."""
        gpu = self.work.gpu
        call: Int64s = gpu.launch_end_ns[self.position] - gpu.launch_start_ns[self.position]
        return call

    @cached_property
    def judged(self) -> Bools:
        """Whether each kernel is the only GPU event of its launch call."""
        gpu = self.work.gpu
        launch = gpu.launch[self.position]
        owned = np.bincount(gpu.launch[gpu.linked], minlength=int(launch.max(initial=0)) + 1)
        alone: Bools = (launch >= 0) & (owned[launch] == 1)
        return alone

    @cached_property
    def in_graph(self) -> Bools:
        """Whether each kernel was launched by a call that launches a graph."""
        launch = self.work.gpu.launch[self.position]
        graph = self._trace.names_where(vocabulary.is_graph_launch)
        linked: Bools = launch >= 0
        linked[linked] = graph[launch[linked]]
        return linked

    def short(self, chosen: Bools | Int64s) -> Short:
        """The short ones among some kernels."""
        judged, duration, call = self.judged[chosen], self.duration_ns[chosen], self.call_ns[chosen]
        short = judged & (duration < call)
        return Short(int(judged.sum()), int(short.sum()), int(duration[short].sum()), int(call[short].sum()))

    def occupied(self, chosen: Bools | Int64s) -> Occupancy:
        """The recorded occupancy of some kernels; a recorded 0 is none."""
        occupancy, duration = self.occupancy[chosen], self.duration_ns[chosen]
        known = occupancy > 0
        known_ns = int(duration[known].sum())
        weighted = float((occupancy[known] * duration[known]).sum())
        return Occupancy(weighted / known_ns if known_ns else None, known_ns)

    def launch_calls(self, chosen: Bools | Int64s) -> int:
        """How many calls launched some kernels."""
        launch = self.work.gpu.launch[self.position[chosen]]
        return len(distinct(launch[launch >= 0]))

    @cached_property
    def all(self) -> Bools:
        return np.ones(len(self.position), np.bool_)

    @cached_property
    def _pairs(self) -> tuple[Int64s, Grouped, Spreads]:
        """Name and shape of each pair as one number, their durations and their spreads."""
        shapes = int(self.shape.max(initial=0)) + 2
        pair, of = np.unique(self.name * shapes + self.shape + 1, return_inverse=True)
        of = of.astype(np.int64)
        spreads = find_spreads(of, self.step, self.duration_ns, pair % shapes > 0)
        return pair, group(of, self.duration_ns), spreads

    @cached_property
    def _shapes_of_name(self) -> dict[int, list[ShapeRow]]:
        pair, grouped, spreads = self._pairs
        shapes = int(self.shape.max(initial=0)) + 2
        found: dict[int, list[ShapeRow]] = {}
        total, median = grouped.total.tolist(), grouped.median.tolist()
        for i, key in enumerate(pair.tolist()):
            within, between = float(spreads.within[i]), float(spreads.between[i])
            row = ShapeRow(
                shape=self._trace.details.shapes[key % shapes - 1] if key % shapes else None,
                count=int(grouped.count[i]),
                time_ns=total[i],
                median_ns=median[i],
                spread=None if np.isnan(within) else within,
                between=None if np.isnan(between) else between,
                slowest=None if np.isnan(between) else int(spreads.slowest[i]),
                slowest_ns=None if np.isnan(between) else float(spreads.slowest_ns[i]),
            )
            found.setdefault(key // shapes, []).append(row)
        return {
            name: sorted(rows, key=lambda r: (-r.time_ns, -r.count, r.shape or ""))
            for name, rows in found.items()
        }

    @cached_property
    def rows(self) -> Sequence[KernelRow]:
        """One a name, the most expensive first."""
        order = np.argsort(self.name, kind="stable")
        grouped = group(self.name, self.duration_ns)
        members = np.split(order, np.cumsum(grouped.count)[:-1]) if len(order) else []
        communication = self.work.gpu.communication[self.position]
        rows = []
        for i, mine in enumerate(members):
            name = int(grouped.key[i])
            typical = mine[self.step[mine] == self.work.typical]
            rows.append(
                KernelRow(
                    name=self._trace.names[name],
                    communication=bool(communication[mine].any()),
                    count=len(mine),
                    time_ns=int(grouped.total[i]),
                    typical_count=len(typical),
                    typical_ns=int(self.duration_ns[typical].sum()),
                    min_ns=int(grouped.smallest[i]),
                    median_ns=float(grouped.median[i]),
                    max_ns=int(grouped.largest[i]),
                    longest=longest_of(self.duration_ns[mine], self.work.gpu.row[self.position[mine]]),
                    launch_calls=self.launch_calls(mine),
                    graph_count=int(self.in_graph[mine].sum()),
                    short=self.short(mine),
                    occupancy=self.occupied(mine),
                    shapes=self._shapes_of_name[name],
                )
            )
        return sorted(rows, key=lambda r: (-r.time_ns, -r.count, r.name))
