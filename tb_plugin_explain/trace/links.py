"""GPU events and the calls that launched them.

The launch of a GPU event is the runtime or driver call with the same ``correlation``
(docs/definitions.md, Reading). One launch can own many GPU events (CUDA or HIP graphs).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from msgspec import Struct

from tb_plugin_explain.trace.categories import GPU_WORK
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import NO_CORRELATION, NONE, Bools, Category, Int32s, Int64s, Trace, UInt8s

CALLS = (Category.RUNTIME, Category.DRIVER)


def is_valid_gpu_work(trace: Trace) -> Bools:
    """Kernels, copies and memsets whose times can be trusted."""
    return trace.is_category(*GPU_WORK) & (trace.events.duration_ns >= 0) & ~trace.lost


class GpuWork(Struct, frozen=True, eq=False, dict=True):
    """The valid kernels, copies and memsets, by start (then by order in the file).

    row: int64, row of the event. launch: int64, row of its launch call, or -1.
    launch_start_ns, launch_end_ns: of that call; 0 where there is none.
    process: int32, the process that launched it, or -1.
    """

    row: Int64s
    start_ns: Int64s
    end_ns: Int64s
    kind: UInt8s
    name: Int32s
    device: Int32s
    stream: Int32s
    launch: Int64s
    launch_start_ns: Int64s
    launch_end_ns: Int64s
    process: Int32s
    communication: Bools
    ambiguous: int

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def linked(self) -> Bools:
        """Whether each event has a launch."""
        linked: Bools = self.launch >= 0
        return linked

    @cached_property
    def is_kernel(self) -> Bools:
        is_kernel: Bools = self.kind == Category.KERNEL
        return is_kernel

    @cached_property
    def first_launched_ns(self) -> Mapping[int, int]:
        """When the first work with a launch began, by device; without those that have none."""
        return {
            device: int(self.start_ns[of_device].min())
            for device in self.devices
            if (of_device := (self.device == device) & self.linked).any()
        }

    @cached_property
    def devices(self) -> tuple[int, ...]:
        """Numbers of the devices that did anything."""
        return tuple(int(d) for d in distinct(self.device))


def _find_launches(trace: Trace, gpu_rows: Int64s) -> tuple[Int64s, int]:
    """Launch row of each GPU row (-1 where none), and how many stay ambiguous."""
    events = trace.events
    is_call = trace.is_category(*CALLS) & (events.correlation != NO_CORRELATION) & ~trace.lost
    calls = np.flatnonzero(is_call)
    calls = calls[np.argsort(events.correlation[calls], kind="stable")]
    keys = events.correlation[calls]
    wanted = events.correlation[gpu_rows]
    first = np.searchsorted(keys, wanted, side="left")
    count = np.searchsorted(keys, wanted, side="right") - first
    count[wanted == NO_CORRELATION] = 0
    launch = np.full(len(gpu_rows), NONE, np.int64)
    launch[count == 1] = calls[first[count == 1]]
    ambiguous = 0
    for i in np.flatnonzero(count > 1):
        candidates = calls[first[i] : first[i] + count[i]]
        external = events.external_id[gpu_rows[i]]
        same = candidates[(events.external_id[candidates] == external) & (external != NONE)]
        if len(same) == 1:
            launch[i] = same[0]
        else:
            ambiguous += 1
    return launch, ambiguous


def find_gpu_work(trace: Trace, communication: Bools) -> GpuWork:
    """The valid GPU events with their launches.

    ``communication``: whether each row of the trace is a communication kernel.
    """
    events = trace.events
    rows = np.flatnonzero(is_valid_gpu_work(trace))
    rows = rows[np.argsort(events.start_ns[rows], kind="stable")]
    launch, ambiguous = _find_launches(trace, rows)
    linked = launch >= 0
    return GpuWork(
        row=rows,
        start_ns=events.start_ns[rows],
        end_ns=events.end_ns_of(rows),
        kind=events.category[rows],
        name=events.name[rows],
        device=events.device[rows],
        stream=events.stream[rows],
        launch=launch,
        launch_start_ns=np.where(linked, events.start_ns[launch], 0) if len(events) else launch,
        launch_end_ns=np.where(linked, events.end_ns_of(launch), 0) if len(events) else launch,
        process=np.where(linked, events.process[launch], NONE).astype(np.int32)
        if len(events)
        else launch.astype(np.int32),
        communication=communication[rows],
        ambiguous=ambiguous,
    )
