"""What copies and memsets of the averaged steps cost, by name.

docs/definitions/copies.md. Invariant: the rows' counts and times sum to those of their kinds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal, cast

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.averaged_work import AveragedWork
from tb_plugin_explain.analyses.call_kinds import CallKinds
from tb_plugin_explain.analyses.exposure import Exposure
from tb_plugin_explain.analyses.longest import longest_of
from tb_plugin_explain.glossary import facts
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Bools, Category, Int64s, Trace

# Below this a transfer's own start-up, of some microseconds, outweighs its bytes at 10 GB a second.
SMALL_BYTES = 65_536

Direction = Literal["HtoD", "DtoH", "DtoD", "HtoH", "PtoP"]
Memory = Literal["pageable", "pinned", "device", "unified", "array"]

_DIRECTIONS: Mapping[str | None, Direction] = {
    "host to device": "HtoD", "device to host": "DtoH", "device to device": "DtoD", "host to host": "HtoH",
    "device to another device": "PtoP", "host to device array": "HtoD", "device array to host": "DtoH",
    "device array to device array": "DtoD", "device array to device": "DtoD",
    "device to device array": "DtoD",
}  # fmt: skip


class CopyName(Struct, frozen=True):
    """What the name of a copy or memset tells; None where it does not."""

    direction: Direction | None
    source: Memory | None
    target: Memory | None

    @property
    def pinned(self) -> bool | None:
        """Whether the host's memory is pinned."""
        both = (self.source, self.target)
        if "pinned" in both:
            return True
        return False if "pageable" in both else None


def read_copy_name(name: str) -> CopyName:
    """``Memcpy HtoD (Pageable -> Device)`` in parts."""
    known = facts(name, Category.MEMCPY)
    memory = cast(Mapping[str, Memory], known.details)
    return CopyName(_DIRECTIONS.get(known.direction), memory.get("source"), memory.get("target"))


class CopyFigures(Struct, frozen=True):
    """Sums over events. bytes: None if never known; timed_*: of those with known bytes and a duration.

    calls_ns: of all their launch calls, each once; blocking_ns: of those that wait.
    """

    count: int
    time_ns: int
    bytes: int | None
    sized_count: int
    timed_bytes: int
    timed_ns: int
    exposed_ns: int
    alone_ns: int
    small_count: int
    blocking_count: int
    blocking_ns: int
    calls_ns: int


class CopyRow(Struct, frozen=True):
    """All copies, or memsets, of one name. longest: row of the longest."""

    kind: Literal["copy", "memset"]
    name: str
    said: CopyName
    figures: CopyFigures
    longest: int


class CopyTable:
    """The copies and memsets of the averaged steps."""

    def __init__(
        self, trace: Trace, kinds: CallKinds, work: AveragedWork, copy: Exposure, memset: Exposure
    ) -> None:
        gpu = work.gpu
        kind = gpu.kind[work.position]
        chosen = (kind == Category.MEMCPY) | (kind == Category.MEMSET)
        self._trace = trace
        self._is_copy: Bools = kind[chosen] == Category.MEMCPY
        self._duration_ns = work.duration_ns[chosen]
        position = work.position[chosen]
        self.position = position
        self._name = gpu.name[position].astype(np.int64)
        self._bytes = trace.events.size_bytes[gpu.row[position]]
        self._exposed_ns = copy.exposed_ns[position] + memset.exposed_ns[position]
        self._alone_ns = copy.alone_ns[position] + memset.alone_ns[position]
        self._launch = gpu.launch[position]
        self._row = gpu.row[position]
        waits = kinds.explicit_wait | kinds.implicit_wait
        self._blocking: Bools = self._launch >= 0
        self._blocking[self._blocking] = waits[self._launch[self._blocking]]

    def _calls_ns(self, launches: Int64s) -> int:
        events = self._trace.events
        rows = distinct(launches[launches >= 0])
        return int((events.end_ns_of(rows) - events.start_ns[rows]).sum())

    def figures(self, chosen: Bools | Int64s) -> CopyFigures:
        """The sums over some of them."""
        size, duration, blocking = self._bytes[chosen], self._duration_ns[chosen], self._blocking[chosen]
        sized = size >= 0
        timed = sized & (duration > 0)
        launch = self._launch[chosen]
        return CopyFigures(
            count=len(size),
            time_ns=int(duration.sum()),
            bytes=int(size[sized].sum()) if sized.any() else None,
            sized_count=int(sized.sum()),
            timed_bytes=int(size[timed].sum()),
            timed_ns=int(duration[timed].sum()),
            exposed_ns=int(self._exposed_ns[chosen].sum()),
            alone_ns=int(self._alone_ns[chosen].sum()),
            small_count=int((sized & (size <= SMALL_BYTES)).sum()),
            blocking_count=int(blocking.sum()),
            blocking_ns=self._calls_ns(launch[blocking]),
            calls_ns=self._calls_ns(launch),
        )

    @cached_property
    def copies(self) -> CopyFigures:
        return self.figures(self._is_copy)

    @cached_property
    def memsets(self) -> CopyFigures:
        return self.figures(~self._is_copy)

    @cached_property
    def said(self) -> Mapping[int, CopyName]:
        """What each name tells, by the name's number."""
        return {n: read_copy_name(self._trace.names[n]) for n in distinct(self._name).tolist()}

    def towards(self, *directions: Direction) -> CopyFigures:
        """The copies of some directions together."""
        names = [n for n, said in self.said.items() if said.direction in directions]
        return self.figures(self._is_copy & np.isin(self._name, names))

    def small_calls(self, *directions: Direction) -> Int64s:
        """Rows of the calls that made small copies of some directions."""
        names = [n for n, said in self.said.items() if said.direction in directions]
        small = self._is_copy & (self._bytes >= 0) & (self._bytes <= SMALL_BYTES)
        launch = self._launch[small & np.isin(self._name, names)]
        return distinct(launch[launch >= 0])

    @cached_property
    def rows(self) -> Sequence[CopyRow]:
        """One a name and kind, the most expensive first."""
        rows = []
        for name, said in self.said.items():
            for is_copy in (True, False):
                mine = np.flatnonzero((self._name == name) & (self._is_copy == is_copy))
                if len(mine):
                    kind: Literal["copy", "memset"] = "copy" if is_copy else "memset"
                    longest = longest_of(self._duration_ns[mine], self._row[mine])
                    rows.append(CopyRow(kind, self._trace.names[name], said, self.figures(mine), longest))
        return sorted(rows, key=lambda r: (-r.figures.time_ns, -r.figures.count, r.name))
