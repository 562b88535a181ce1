"""The waits of a step by call: how often, how long, and what the devices did meanwhile.

Times of one call name are unions per thread, summed over threads, as in ``sync_calls``; names
that nest in each other may share time, so rows of different names do not sum to the total.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.analyses.sync_calls import Waits, WaitSplit, split_wait
from tb_plugin_explain.glossary import facts
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Bools, Category, Int64s
from tb_plugin_explain.trace.spans import union

WaitKind = Literal["explicit", "allocator", "loading", "copy_in", "copy_out", "copy"]


class WaitCall(Struct, frozen=True):
    """One name of a waiting call in one step; ``longest_row`` is the row of its longest call."""

    name: str
    kind: WaitKind
    count: int
    split: WaitSplit
    longest_row: int


def _kind(recording: Recording, rows: Int64s, duration_ns: Int64s) -> WaitKind:
    """What calls of one name are; copies go the way that took most of their time."""
    kinds, row = recording.kinds, int(rows[np.argmax(duration_ns)])
    if kinds.explicit_wait[row]:
        return "explicit"
    if kinds.allocator[row]:
        return "allocator"
    if kinds.loading[row]:
        return "loading"
    ways: dict[WaitKind, int] = dict.fromkeys(("copy_in", "copy_out", "copy"), 0)
    names = _copy_names(recording, rows)
    for name in distinct(names).tolist():
        ways[_direction(recording.trace.names[name] if name >= 0 else "")] += int(
            duration_ns[names == name].sum()
        )
    return max(ways, key=lambda way: ways[way])


def _copy_names(recording: Recording, rows: Int64s) -> Int64s:
    """The name of each call's own copy on the GPU, -1 where it has none."""
    gpu = recording.gpu
    named = np.full(len(recording.trace.events), -1, np.int64)
    copies = np.flatnonzero(gpu.linked & (gpu.kind == Category.MEMCPY))
    named[gpu.launch[copies]] = gpu.name[copies]
    return named[rows]


def _direction(name: str) -> WaitKind:
    """Which way a copy went, as its name on the GPU says."""
    ways: dict[str | None, WaitKind] = {"host to device": "copy_in", "device to host": "copy_out"}
    return ways.get(facts(name, Category.MEMCPY).direction, "copy")


def _of_name(recording: Recording, waits: Waits, mine: Int64s, name: str) -> WaitCall:
    split = WaitSplit()
    for lane in distinct(waits.lane[mine]):
        on_lane = mine[waits.lane[mine] == lane]
        waited = union(waits.start_ns[on_lane], waits.end_ns[on_lane])
        split += split_wait(recording, waited, int(waits.process[on_lane[0]]))
    duration = waits.end_ns[mine] - waits.start_ns[mine]
    rows = waits.row[mine]
    longest = int(rows[np.argmax(duration)])
    return WaitCall(name, _kind(recording, rows, duration), len(mine), split, longest)


def analyze(recording: Recording, waits: Waits, chosen: Bools, step_index: int) -> Sequence[WaitCall]:
    """The calls of one step among the chosen waits, the longest waiting first."""
    here = waits.of_step[step_index]
    here = here[chosen[here]]
    names = recording.trace.events.name[waits.row[here]]
    calls = []
    for name in distinct(names).tolist():
        mine = here[names == name]
        for explicit in (True, False):
            alike = mine[waits.explicit[mine] == explicit]
            if len(alike):
                calls.append(_of_name(recording, waits, alike, recording.trace.names[name]))
    return sorted(calls, key=lambda c: -c.split.total_ns)
