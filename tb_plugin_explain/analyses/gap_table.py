"""The gaps of each averaged step as a table: where each is, what is told of it (docs/definitions/gaps.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import asdict

from tb_plugin_explain.analyses.device_window import DeviceWindow
from tb_plugin_explain.analyses.gpu_gaps import Gaps
from tb_plugin_explain.analyses.launch_queue import DeviceQueue
from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.links import GpuWork
from tb_plugin_explain.trace.model import Bools, Category, Int64s, UInt8s
from tb_plugin_explain.trace.spans import Spans

GapKind = Literal["before_recording", "launch_not_recorded", "queued", "hole", "cpu"]
KINDS: tuple[GapKind, ...] = get_args(GapKind)

# Bounds of the classes of length, each the end of one; the last class is open.
LENGTHS_NS = (10_000, 100_000, 1_000_000, 10_000_000)

_ON_THE_CPU = (
    Category.CPU_OP,
    Category.ANNOTATION,
    Category.PYTHON,
    Category.RUNTIME,
    Category.DRIVER,
    Category.OVERHEAD,
)


class GapTable(Struct, frozen=True, eq=False):
    """One row a gap of an averaged step.

    step: index of the step. next: position in ``GpuWork`` of N. opens: whether the window opens with it.
    kind: index into ``KINDS``. queued_ns, hole_ns: parts of the gap with work handed over, and without any
    CPU event.
    """

    step: Int64s
    device: Int64s
    start_ns: Int64s
    end_ns: Int64s
    next: Int64s
    opens: Bools
    kind: UInt8s
    queued_ns: Int64s
    hole_ns: Int64s

    def __len__(self) -> int:
        return len(self.step)

    @property
    def length_ns(self) -> Int64s:
        return self.end_ns - self.start_ns

    def where(self, chosen: npt.NDArray[np.bool_] | Int64s | slice) -> GapTable:
        """Some of the rows."""
        return GapTable(**{name: column[chosen] for name, column in asdict(self).items()})


def cpu_events(recording: Recording) -> Spans:
    """When the file shows anything of the CPU: all its events but the steps themselves."""
    trace = recording.trace
    return recording.union_of(trace.is_category(*_ON_THE_CPU) & ~trace.lost & ~trace.is_step)


def _kinds(gaps: Gaps, gpu: GpuWork, device: int, queued_ns: Int64s, hole_ns: Int64s) -> UInt8s:
    first = gpu.first_launched_ns.get(device, 0)
    half = (gaps.end_ns - gaps.start_ns) / 2
    conditions = [
        ~gaps.linked & (gpu.start_ns[gaps.next] < first),
        ~gaps.linked,
        queued_ns > half,
        hole_ns > half,
    ]
    return np.select(conditions, range(len(conditions)), len(conditions)).astype(np.uint8)


def of_window(
    step: int,
    window: DeviceWindow,
    gaps: Gaps,
    gpu: GpuWork,
    queue: DeviceQueue,
    cpu: Spans,
) -> GapTable:
    """The rows of one step and device. ``cpu``: see ``cpu_events``."""
    count = len(gaps.start_ns)
    queued = queue.handed_over.covered(gaps.start_ns, gaps.end_ns)
    hole = gaps.end_ns - gaps.start_ns - cpu.covered(gaps.start_ns, gaps.end_ns)
    return GapTable(
        step=np.broadcast_to(np.int64(step), count),
        device=np.broadcast_to(np.int64(window.device), count),
        start_ns=gaps.start_ns,
        end_ns=gaps.end_ns,
        next=gaps.next,
        opens=gaps.start_ns == window.low_ns,
        kind=_kinds(gaps, gpu, window.device, queued, hole),
        queued_ns=queued,
        hole_ns=hole,
    )


def join(tables: Sequence[GapTable]) -> GapTable:
    """One table of several; at least one."""
    return GapTable(**{name: np.concatenate([asdict(t)[name] for t in tables]) for name in asdict(tables[0])})


def longest(table: GapTable, most: int) -> GapTable:
    """The longest rows, by length (tie: the earlier), at most so many."""
    length_ns = table.length_ns
    long = np.arange(len(table))
    if len(table) > most:
        long = np.flatnonzero(length_ns >= np.partition(length_ns, -most)[-most])
    return table.where(long[np.lexsort((table.start_ns[long], -length_ns[long]))][:most])


def by_length(table: GapTable) -> Int64s:
    """By class of length (the first of ``LENGTHS_NS`` not exceeded): rows, their time, their queued time."""
    length, of = table.length_ns, np.searchsorted(LENGTHS_NS, table.length_ns, side="left")
    classes = [of == i for i in range(len(LENGTHS_NS) + 1)]
    return np.array([[c.sum(), length[c].sum(), table.queued_ns[c].sum()] for c in classes], np.int64)


def work_before(gpu: GpuWork, table: GapTable) -> Int64s:
    """Position in ``gpu`` of the work that ended where each gap starts; -1 where none did."""
    found = np.full(len(table), -1, np.int64)
    for device in distinct(table.device).tolist():
        work = np.flatnonzero(gpu.device == device)
        work = work[np.argsort(gpu.end_ns[work], kind="stable")]
        mine = np.flatnonzero(table.device == device)
        last = np.searchsorted(gpu.end_ns[work], table.start_ns[mine], side="right") - 1
        at = work[np.maximum(last, 0)]
        ended = (last >= 0) & (gpu.end_ns[at] == table.start_ns[mine])
        found[mine[ended]] = at[ended]
    return found
