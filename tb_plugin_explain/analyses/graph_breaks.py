"""Where compiled functions fell apart: regions that ran inside other regions.

At a graph break PyTorch runs what it could not compile, and then a function made of what follows, as a
region of its own, from within the first (torch/_dynamo/symbolic_convert.py, resume functions). So the
region of the second frame lies inside that of the first. Regions one after the other are functions that
were compiled apart, and no break.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.nesting import begun_in
from tb_plugin_explain.analyses.operators import find_parents, is_ignored
from tb_plugin_explain.analyses.origins import Origins
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.grouping import Groups, distinct
from tb_plugin_explain.trace.model import NONE, Bools, Category, Int64s, Trace


class GraphBreaks(Struct, frozen=True, eq=False):
    """Breaks by thread and start; int64 columns.

    before, after: rows of the regions that ran last and next. region: row of the region that both lie
    in, or of ``before``. begin_ns, end_ns: from the last compiled code of ``before`` to ``after``.
    lookup_ns: cache lookups in between. own_ns: the time in between that no event of the CPU covers.
    """

    before: Int64s
    after: Int64s
    region: Int64s
    begin_ns: Int64s
    end_ns: Int64s
    lookup_ns: Int64s
    own_ns: Int64s

    @property
    def between_ns(self) -> Int64s:
        """From region to region, without the lookups."""
        return self.end_ns - self.begin_ns - self.lookup_ns


class _Break(NamedTuple):
    before: int
    after: int
    region: int
    begin_ns: int
    end_ns: int
    lookup_ns: int
    own_ns: int


class _Rows:
    """What the search asks of the rows of a trace."""

    def __init__(self, trace: Trace, origins: Origins, path: Bools, regions: Int64s, lookups: Int64s) -> None:
        events = trace.events
        self.path = path
        self.region, self.lookup = _mask(len(events), regions), _mask(len(events), lookups)
        self.start_ns = events.start_ns
        self.end_ns = events.start_ns + origins.nesting.length_ns


def _mask(count: int, rows: Int64s) -> Bools:
    mask = np.zeros(count, np.bool_)
    mask[rows] = True
    return mask


def _breaks_in(region: int, inside: Sequence[int], direct: Bools, rows: _Rows) -> Iterator[_Break]:
    """The breaks of one region.

    inside: rows of its children, and of what ran compiled somewhere in them, by start. direct: which of
    these are its children.
    """
    begin, before = int(rows.start_ns[region]), region
    covering: list[tuple[int, int]] = []
    lookups = 0
    for row, is_child in zip(inside, direct.tolist(), strict=True):
        start, end = int(rows.start_ns[row]), int(rows.end_ns[row])
        if rows.region[row]:
            gap = max(start - begin, 0)
            covered = sum(max(min(e, start) - max(b, begin), 0) for b, e in covering)
            yield _Break(before, row, region, begin, begin + gap, lookups, gap - covered)
            before = row
        if rows.lookup[row]:
            lookups += end - start
        elif rows.path[row]:
            begin, lookups = end, 0
            covering = [(b, e) for b, e in covering if e > begin]
        if is_child and not (rows.path[row] and not rows.lookup[row]):
            covering.append((start, end))


def _all_breaks(
    trace: Trace, origins: Origins, path: Bools, regions: Int64s, lookups: Int64s
) -> Iterator[_Break]:
    count, nesting = len(trace.events), origins.nesting
    rows = _Rows(trace, origins, path, regions, lookups)
    parent = np.full(count, NONE, np.int32)
    children, above = find_parents(trace, nesting, is_ignored(trace))
    parent[children] = above
    holder = parent.copy()
    holder[path] = nesting.nearest(np.flatnonzero(path), path)
    around = holder[regions]
    broken = distinct(around[(around >= 0) & rows.region[around]])
    number = np.full(count + 1, NONE, np.int64)
    number[broken] = np.arange(len(broken))
    of_region = Groups(number[holder[nesting.order]], len(broken))
    for i, region in enumerate(broken.tolist()):
        inside = nesting.order[of_region[i]]
        yield from _breaks_in(region, inside.tolist(), parent[inside] == region, rows)


def find_graph_breaks(
    trace: Trace, origins: Origins, path: Bools, regions: Int64s, lookups: Int64s
) -> GraphBreaks:
    """The breaks of a recording; ``path`` marks the events of the compiled path."""
    # Without regions, as in most recordings, nothing of the rows need be looked at.
    found = list(_all_breaks(trace, origins, path, regions, lookups)) if len(regions) else []
    return GraphBreaks(*np.array(found, np.int64).reshape(len(found), len(_Break._fields)).T)


def operators_between(
    trace: Trace, origins: Origins, breaks: GraphBreaks, chosen: Int64s, path: Bools
) -> list[Int64s]:
    """Of each chosen break, the rows of the outermost operators that ran at it, by start."""
    events, around = trace.events, origins.operators | path
    found = []
    for i in chosen.tolist():
        begin, end = int(breaks.begin_ns[i]), int(breaks.end_ns[i])
        rows = begun_in(trace, origins.nesting, int(events.lane[breaks.after[i]]), begin, end)
        rows = rows[origins.operators[rows] & ~path[rows]]
        above = origins.nesting.nearest(rows, around)
        found.append(rows[(above < 0) | (events.start_ns[above] < begin)])
    return found


def place_of(trace: Trace, origins: Origins, breaks: GraphBreaks, index: int) -> str | None:
    """Where in the program the graph broke, None where stacks were not recorded or do not tell it."""
    events, after = trace.events, int(breaks.after[index])
    begin, end = int(events.start_ns[after]), int(events.end_ns_of(after))
    inside = begun_in(trace, origins.nesting, int(events.lane[after]), begin, end)
    is_frame = events.category[inside] == Category.PYTHON
    direct = inside[is_frame & (origins.nesting.parent[inside] == after)]
    names = (trace.name_of(row) for row in direct.tolist())
    return next((place for name in names if (place := vocabulary.resumed_at(name))), None)
