"""What each step spent on getting its batch (docs/definitions/input.md).

Invariants: exposed copies are at most the copies; the loader's time is at most the step's.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.glossary import facts
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.model import Bools, Category, Int64s, Trace
from tb_plugin_explain.trace.spans import Spans, nothing, union
from tb_plugin_explain.trace.steps import ProfilerStep

Workers = Literal["in_process", "worker_processes", "both"]


class HostCopies(Struct, frozen=True):
    """A step's copies from host to device; size_bytes is None where one's size is not recorded."""

    count: int
    size_bytes: int | None
    time_ns: int
    pageable: int
    pinned: int
    exposed_ns: int


def find_workers(trace: Trace) -> Workers | None:
    """Who loads the batches, as far as names tell."""
    alone = any(map(vocabulary.is_loading_in_process, trace.names))
    workers = any(map(vocabulary.is_loading_by_workers, trace.names))
    if alone and workers:
        return "both"
    if alone:
        return "in_process"
    return "worker_processes" if workers else None


def _is_to_device(name: str) -> bool:
    direction = facts(name, Category.MEMCPY).direction or ""
    return direction.startswith("host to device")


class InputPipeline:
    """Loader calls and host-to-device copies of a recording; ``device``: the one that is judged."""

    def __init__(self, recording: Recording, device: int | None) -> None:
        self._recording = recording
        self._device = device

    @cached_property
    def workers(self) -> Workers | None:
        return find_workers(self._recording.trace)

    @cached_property
    def _loader_rows(self) -> Int64s:
        trace = self._recording.trace
        rows = np.flatnonzero(trace.names_where(vocabulary.is_data_loader) & ~trace.lost)
        events = trace.events
        return rows[np.lexsort((-events.end_ns_of(rows), events.start_ns[rows]))]

    def loader_calls(self, step: ProfilerStep) -> int:
        """How many calls of the data loader, not inside another, begin in the step on its thread."""
        events, rows = self._recording.trace.events, self._loader_rows
        rows = rows[events.lane[rows] == step.lane]
        reach = np.maximum.accumulate(events.end_ns_of(rows))
        outer = np.ones(len(rows), np.bool_)
        outer[1:] = events.end_ns_of(rows)[1:] > reach[:-1]
        start = events.start_ns[rows][outer]
        return int(((start >= step.start_ns) & (start < step.end_ns)).sum())

    @cached_property
    def _to_device(self) -> Bools:
        """Whether each event of ``GpuWork`` copies from host to the device that is judged."""
        gpu, names = self._recording.gpu, self._recording.trace.names
        copies = np.flatnonzero((gpu.kind == Category.MEMCPY) & (gpu.device == self._device))
        found = np.zeros(len(gpu), np.bool_)
        of_copies = gpu.name[copies]
        found[copies] = np.isin(of_copies, [i for i in set(of_copies.tolist()) if _is_to_device(names[i])])
        return found

    @cached_property
    def _other_work(self) -> Spans:
        """When the device did anything else, for any step."""
        gpu = self._recording.gpu
        others = (gpu.device == self._device) & ~self._to_device
        return union(gpu.start_ns[others], gpu.end_ns[others]) if others.any() else nothing()

    def copies(self, index: int) -> HostCopies:
        """The copies that one step launched."""
        recording = self._recording
        gpu, names, work = recording.gpu, recording.trace.names, recording.gpu_of_step[index]
        mine = work[self._to_device[work]]
        when = union(gpu.start_ns[mine], gpu.end_ns[mine])
        size = recording.trace.events.size_bytes[gpu.row[mine]]
        called = [names[i] for i in gpu.name[mine].tolist()]
        hidden = int(self._other_work.covered(when.start_ns, when.end_ns).sum())
        return HostCopies(
            count=len(mine),
            size_bytes=int(size.sum()) if (size >= 0).all() else None,
            time_ns=when.length_ns,
            pageable=sum(map(vocabulary.is_pageable_copy, called)),
            pinned=sum(map(vocabulary.is_pinned_copy, called)),
            exposed_ns=when.length_ns - hidden,
        )
