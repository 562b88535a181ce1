"""One trace in memory: a struct of arrays, one row a timed event.

Times are integer nanoseconds on the file's own clock (``ts`` times 1000, rounded half to even);
the absolute time is ``meta.base_time_ns`` plus that. An event is ``[start, start + duration)``.
Rows keep the order of the file. Metadata (``M``), flows (``s``, ``f``) and counters (``C``) are
no rows; pairs of ``B`` and ``E`` on one thread are one row; instants have duration 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from tb_plugin_explain.trace import vocabulary

# Readers of rows find it here; it stands on its own for those who need no NumPy.
from tb_plugin_explain.trace.category import Category as Category

Int64s = npt.NDArray[np.int64]
Int32s = npt.NDArray[np.int32]
UInt8s = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]
# Numbers that nobody reckons with.
Ids = Int32s | Int64s

NO_CORRELATION = 0
NONE = -1
# To compare a column with so many names takes no longer than to look each of its names up.
_FEW_NAMES = 8


class Events(Struct, frozen=True, eq=False):
    """Columns of equal length, one element a row.

    start_ns, duration_ns: int64, as in the file (a negative duration is kept, see ``integrity``).
    name: int32, index into ``Trace.names``.
    category: uint8, a ``Category``.
    process: int32, index into ``Trace.processes`` (the event's ``pid``; a device on GPU lanes).
    lane: int32, index into ``Trace.lanes`` (the event's ``pid`` and ``tid``).
    correlation: int32, int64 where one does not fit; 0 where there is none (0 and -1 in the file mean none).
    external_id: the same, -1 where there is none.
    device: int32, the device's number on GPU rows (``device``, else ``pid``), else -1.
    stream: int32 on GPU rows, index into ``Trace.streams``, else -1.
    size_bytes: int64, argument ``bytes`` (or ``size``) of copies and memsets, else -1.
    collective: bool, whether the event has the argument ``Collective name``.
    ordinal: the same; index of the event in the file's ``traceEvents``: its stable id.
    """

    start_ns: Int64s
    duration_ns: Int64s
    name: Int32s
    category: UInt8s
    process: Int32s
    lane: Int32s
    correlation: Ids
    external_id: Ids
    device: Int32s
    stream: Int32s
    size_bytes: Int64s
    collective: Bools
    ordinal: Ids

    def __len__(self) -> int:
        return len(self.start_ns)

    def end_ns_of(self, rows: Int64s | Int32s | Bools | int) -> Int64s:
        """End of some rows; where a duration is negative, the start."""
        end_ns: Int64s = np.maximum(self.duration_ns[rows], 0)
        end_ns += self.start_ns[rows]
        return end_ns


def _none64() -> Int64s:
    return np.zeros(0, np.int64)


class OperatorDetails(Struct, frozen=True, eq=False):
    """CPU operators that tell more of themselves, by row.

    row: int64. sequence: int64, links a forward operator with its backward, -1 where there is none.
    shape: index into ``Details.shapes`` of the inputs' dimensions, -1 where not recorded.
    """

    row: Int64s = field(default_factory=_none64)
    sequence: Int64s = field(default_factory=_none64)
    shape: npt.NDArray[Any] = field(default_factory=_none64)


class KernelDetails(Struct, frozen=True, eq=False):
    """Kernels by row, valid or not.

    shape: index into ``Details.shapes`` of grid and block, -1 where not recorded.
    occupancy_percent: float, the profiler's estimate; NaN where not recorded (0 often means that too).
    """

    row: Int64s = field(default_factory=_none64)
    shape: npt.NDArray[Any] = field(default_factory=_none64)
    occupancy_percent: npt.NDArray[Any] = field(default_factory=_none64)


class MemoryDetails(Struct, frozen=True, eq=False):
    """Allocations and frees by row (category INSTANT).

    address: equal numbers are equal addresses. size_bytes: int64, negative for a free.
    allocated_bytes, reserved_bytes: the allocator's totals after it, -1 where not recorded.
    device_type: torch's number (0 CPU, 1 CUDA). device: its number, -1 on the CPU.
    """

    row: Int64s = field(default_factory=_none64)
    address: npt.NDArray[Any] = field(default_factory=_none64)
    size_bytes: Int64s = field(default_factory=_none64)
    allocated_bytes: Int64s = field(default_factory=_none64)
    reserved_bytes: Int64s = field(default_factory=_none64)
    device_type: npt.NDArray[Any] = field(default_factory=_none64)
    device: npt.NDArray[Any] = field(default_factory=_none64)


class CollectiveDetails(Struct, frozen=True, eq=False):
    """Kernels that name their collective, by row.

    collective: index into ``Details.collectives``. size_bytes: int64, of the larger of the rank's two
    messages, -1 where not recorded.
    """

    row: Int64s = field(default_factory=_none64)
    collective: npt.NDArray[Any] = field(default_factory=_none64)
    size_bytes: Int64s = field(default_factory=_none64)


class Details(Struct, frozen=True, eq=False):
    """What only some kinds of events tell, as tables by ascending row."""

    operators: OperatorDetails = field(default_factory=OperatorDetails)
    kernels: KernelDetails = field(default_factory=KernelDetails)
    memory: MemoryDetails = field(default_factory=MemoryDetails)
    shapes: tuple[str, ...] = ()
    communication: CollectiveDetails = field(default_factory=CollectiveDetails)
    collectives: tuple[str, ...] = ()


class Lane(Struct, frozen=True):
    """One thread of a process, or one stream of a device, as the file names it."""

    pid: str
    tid: str
    thread_name: str | None = None


class Stream(Struct, frozen=True):
    """A queue of one device: (device, ``stream``, else queue, else ``tid``)."""

    device: int
    key: str


class ReadProblem(Struct, frozen=True):
    """Something that reading had to do or to leave out; becomes a warning of the same kind.

    ``data`` holds further figures, for example ``{"byte": 1234}`` for ``truncated``.
    """

    kind: str
    count: int
    data: Mapping[str, int | float | str] = field(default_factory=dict)


class Device(Struct, frozen=True):
    """One entry of ``deviceProperties``."""

    id: int
    name: str


class TraceMeta(Struct, frozen=True):
    """What the file says about itself outside its events.

    ``devices`` is None where the file has no ``deviceProperties``, empty where it lists none.
    """

    file: str
    file_bytes: int
    base_time_ns: int = 0
    events_in_file: int = 0
    devices: tuple[Device, ...] | None = None
    record_shapes: bool = False
    with_stack: bool = False
    profile_memory: bool = False
    with_modules: bool = False
    with_flops: bool = False
    rank: int | None = None
    world_size: int | None = None
    backend: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[ReadProblem, ...] = ()


def _no_args(_row: int) -> dict[str, Any]:
    return {}


def _kept(rows: Bools) -> Bools:
    """A mask that many share: none of them may change it."""
    rows.setflags(write=False)
    return rows


class Trace(Struct, frozen=True, eq=False, dict=True):
    """One trace file: one rank, usually one process.

    ``names[i]`` is the text of name id ``i``; each text stands once. ``fetch_args(row)`` reads
    the whole ``args`` of one row from the file again, on demand.
    """

    meta: TraceMeta
    events: Events
    names: tuple[str, ...]
    processes: tuple[str, ...]
    lanes: tuple[Lane, ...]
    streams: tuple[Stream, ...]
    details: Details = field(default_factory=Details)
    fetch_args: Callable[[int], dict[str, Any]] = _no_args

    def name_of(self, row: int) -> str:
        """The text of one row's name."""
        return self.names[int(self.events.name[row])]

    @cached_property
    def lost(self) -> Bools:
        """Rows with time 0 and duration 0: the profiler lost their times."""
        return _kept((self.events.start_ns == 0) & (self.events.duration_ns == 0))

    @cached_property
    def is_step(self) -> Bools:
        """Whether each row is a ``ProfilerStep#N`` on a CPU lane."""
        named = self.names_where(lambda n: vocabulary.step_number(n) is not None)
        return _kept(named & self.is_category(Category.ANNOTATION, Category.CPU_OP) & ~self.lost)

    def names_where(self, predicate: Callable[[str], bool]) -> Bools:
        """Whether each row's name fulfils the predicate; asked once for each distinct name."""
        chosen = [number for number, name in enumerate(self.names) if predicate(name)]
        if len(chosen) <= _FEW_NAMES:
            rows = np.zeros(len(self.events), np.bool_)
            for number in chosen:
                rows |= self.events.name == number
            return rows
        per_name = np.zeros(len(self.names), np.bool_)
        per_name[chosen] = True
        return per_name.take(self.events.name, mode="clip")  # all are in range; checking takes time

    def is_category(self, *categories: Category) -> Bools:
        """Whether each row is of one of these categories."""
        chosen = np.zeros(len(self.events), np.bool_)
        for category in categories:  # a look-up in a table takes ten times as long
            chosen |= self.events.category == int(category)  # and NumPy widens the column for an enum
        return chosen
