"""The waits of a step by call: how often, how long, and what the devices did meanwhile.

Times of one call name are unions per thread, summed over threads, as in ``sync_calls``; names
that nest in each other may share time, so rows of different names do not sum to the total.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.analyses.sync_calls import Waits, WaitSplit, split_wait
from tb_plugin_explain.trace.model import Category, Int64s
from tb_plugin_explain.trace.spans import union

WaitKind = Literal["explicit", "allocator", "loading", "copy_in", "copy_out", "copy"]


@dataclass(frozen=True)
class WaitCall:
    """One name of a waiting call in one step; ``longest_row`` is the row of its longest call."""

    name: str
    kind: WaitKind
    count: int
    split: WaitSplit
    longest_row: int


def _kind(recording: Recording, row: int) -> WaitKind:
    kinds = recording.kinds
    if kinds.explicit_wait[row]:
        return "explicit"
    if kinds.allocator[row]:
        return "allocator"
    if kinds.loading[row]:
        return "loading"
    return _direction(recording, row)


def _direction(recording: Recording, row: int) -> WaitKind:
    """Which way the call's own copy went, as its name on the GPU says."""
    gpu = recording.gpu
    own = np.flatnonzero((gpu.launch == row) & (gpu.kind == Category.MEMCPY))
    name = recording.trace.names[gpu.name[own[0]]] if len(own) else ""
    if "HtoD" in name:
        return "copy_in"
    return "copy_out" if "DtoH" in name else "copy"


def _of_name(recording: Recording, waits: Waits, mine: Int64s, name: str) -> WaitCall:
    split = WaitSplit()
    for lane in np.unique(waits.lane[mine]):
        on_lane = mine[waits.lane[mine] == lane]
        waited = union(waits.start_ns[on_lane], waits.end_ns[on_lane])
        split += split_wait(recording, waited, int(waits.process[on_lane[0]]))
    duration = waits.end_ns[mine] - waits.start_ns[mine]
    longest = int(waits.row[mine[np.argmax(duration)]])
    return WaitCall(name, _kind(recording, longest), len(mine), split, longest)


def analyze(recording: Recording, waits: Waits, step_index: int) -> Sequence[WaitCall]:
    """The calls of one step, the longest waiting first."""
    here = waits.of_step[step_index]
    names = recording.trace.events.name[waits.row[here]]
    calls = []
    for name in np.unique(names).tolist():
        mine = here[names == name]
        for explicit in (True, False):
            chosen = mine[waits.explicit[mine] == explicit]
            if len(chosen):
                calls.append(_of_name(recording, waits, chosen, recording.trace.names[name]))
    return sorted(calls, key=lambda c: -c.split.total_ns)
