"""What was launched on a device and had not started yet, at each instant.

docs/definitions/queue.md. An entry is one launch call and one stream on which it owns work; it waits from the
start of the call until the first of that work starts there.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.analyses.sync_bubble import last_end_before
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.links import GpuWork
from tb_plugin_explain.trace.model import Bools, Int32s, Int64s
from tb_plugin_explain.trace.spans import Spans, union


class Entries(Struct, frozen=True, eq=False):
    """One element a launch call and stream, by start of the call, then by its row.

    launch: row of the call. first: position in ``GpuWork`` of its first work on the stream.
    start_ns: when that starts. done_ns: last end of the call's work on the stream.
    """

    launch: Int64s
    first: Int64s
    device: Int32s
    stream: Int32s
    launch_start_ns: Int64s
    launch_end_ns: Int64s
    start_ns: Int64s
    done_ns: Int64s
    step: Int64s

    def where(self, chosen: Bools) -> Entries:
        """Some of the entries, in their order."""
        if chosen.all():
            return self
        return Entries(**{name: column[chosen] for name, column in asdict(self).items()})


def find_entries(recording: Recording) -> Entries:
    """All entries of a recording."""
    gpu = recording.gpu
    linked = np.flatnonzero(gpu.linked)
    work = linked[np.lexsort((linked, gpu.stream[linked], gpu.launch[linked]))]
    launch, stream = gpu.launch[work], gpu.stream[work]
    opens = np.ones(len(work), np.bool_)
    opens[1:] = (launch[1:] != launch[:-1]) | (stream[1:] != stream[:-1])
    begins = np.flatnonzero(opens)
    done = np.maximum.reduceat(gpu.end_ns[work], begins) if len(work) else gpu.end_ns[:0]
    first = work[begins]
    order = np.lexsort((gpu.launch[first], gpu.launch_start_ns[first]))
    first = first[order]
    return Entries(
        launch=gpu.launch[first],
        first=first,
        device=gpu.device[first],
        stream=gpu.stream[first],
        launch_start_ns=gpu.launch_start_ns[first],
        launch_end_ns=gpu.launch_end_ns[first],
        start_ns=gpu.start_ns[first],
        done_ns=done[order],
        step=recording.step_of_gpu[first],
    )


class Depth:
    """How many entries waited at each instant: constant between changes."""

    def __init__(self, entries: Entries) -> None:
        waits = entries.start_ns > entries.launch_start_ns
        come, go = np.sort(entries.launch_start_ns[waits]), np.sort(entries.start_ns[waits])
        self._change_ns = distinct(np.concatenate((come, go)))
        self._depth = np.searchsorted(come, self._change_ns, side="right") - np.searchsorted(
            go, self._change_ns, side="right"
        )
        lasts = np.diff(self._change_ns, append=self._change_ns[-1:])
        self._before = np.concatenate(([0], np.cumsum(self._depth * lasts)))

    def integral(self, time_ns: Int64s) -> Int64s:
        """Entries times nanoseconds up to each instant."""
        if not len(self._change_ns):
            return np.zeros_like(time_ns)
        index = np.searchsorted(self._change_ns, time_ns, side="right") - 1
        last = np.maximum(index, 0)
        since = time_ns - self._change_ns[last]
        return np.where(index >= 0, self._before[last] + self._depth[last] * since, 0)

    def mean(self, low_ns: int, high_ns: int) -> float | None:
        """Mean over a time; None over an empty one."""
        if high_ns <= low_ns:
            return None
        before, after = self.integral(np.array([low_ns, high_ns])).tolist()
        return float((after - before) / (high_ns - low_ns))

    def highest(self, low_ns: int, high_ns: int) -> int:
        """The highest depth within a time, 0 in an empty one."""
        first = max(int(np.searchsorted(self._change_ns, low_ns, side="right")) - 1, 0)
        last = int(np.searchsorted(self._change_ns, high_ns, side="left"))
        return int(self._depth[first:last].max(initial=0)) if high_ns > low_ns else 0


class Launches(Struct, frozen=True, eq=False):
    """The launch calls that own work on one device, by start.

    late: whether the device had finished everything that was launched there before.
    """

    row: Int64s
    start_ns: Int64s
    step: Int64s
    late: Bools


def _find_launches(gpu: GpuWork, entries: Entries, device: int) -> Launches:
    _, index = np.unique(entries.launch, return_index=True)
    once = np.sort(index)
    begin = entries.launch_start_ns[once]
    own = (gpu.device == device) & gpu.linked
    free = (gpu.device == device) & ~gpu.linked
    reach = np.maximum(
        last_end_before(gpu.launch_start_ns[own], gpu.end_ns[own], begin),
        last_end_before(gpu.start_ns[free], gpu.end_ns[free], begin),
    )
    return Launches(entries.launch[once], begin, entries.step[once], reach <= begin)


class DeviceQueue:
    """The queue of one device, and of each of its streams."""

    def __init__(self, gpu: GpuWork, entries: Entries, device: int) -> None:
        self._gpu = gpu
        self._device = device
        self.entries = entries.where(entries.device == device)
        self._streams: dict[int, Depth] = {}

    @cached_property
    def depth(self) -> Depth:
        return Depth(self.entries)

    def depth_of_stream(self, stream: int) -> Depth:
        """The same of one stream (an index into ``Trace.streams``)."""
        if stream not in self._streams:
            mine = self.entries.where(self.entries.stream == stream)
            self._streams[stream] = self.depth if mine is self.entries else Depth(mine)
        return self._streams[stream]

    @cached_property
    def waiting(self) -> Spans:
        """When any entry waited."""
        return union(self.entries.launch_start_ns, self.entries.start_ns)

    @cached_property
    def handed_over(self) -> Spans:
        """When any entry waited whose call had returned."""
        return union(self.entries.launch_end_ns, self.entries.start_ns)

    @cached_property
    def launches(self) -> Launches:
        return _find_launches(self._gpu, self.entries, self._device)
