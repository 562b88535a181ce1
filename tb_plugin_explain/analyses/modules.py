"""Calls of ``nn.Module``s by path: CPU time, and the GPU work of their forward and backward pass.

docs/definitions/modules.md. Invariant: a total is its own time and the totals of the paths below.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.launched_work import LaunchedWork, sums
from tb_plugin_explain.analyses.longest import longest_rows
from tb_plugin_explain.analyses.origins import Origins
from tb_plugin_explain.trace.model import NONE, Bools, Int64s


class ModuleTimes(Struct, frozen=True):
    """One path, over the averaged steps; ``backward_*`` None where no backward pass is linked.

    longest: row of the longest call, -1 without any.
    """

    path: str
    calls: int
    cpu_total_ns: int
    cpu_self_ns: int
    device_self_ns: int
    device_total_ns: int
    kernels: int
    backward_self_ns: int
    backward_total_ns: int
    longest: int


class Modules(Struct, frozen=True):
    """All paths, the most expensive first; see the definition.

    backward_known: whether a backward node leads to the forward pass.
    """

    rows: Sequence[ModuleTimes]
    device_ns: int
    unattributed_ns: int
    device_known: bool
    backward_known: bool


def _with_those_below(own: Int64s, above: Int64s) -> Int64s:
    """Of each path its own and that of all that continue it; each stands after the one above."""
    total = own.copy()
    for path in range(len(above) - 1, -1, -1):
        if above[path] >= 0:
            total[above[path]] += total[path]
    return total


def analyze(origins: Origins, averaged: Bools, work: LaunchedWork) -> Modules:
    """``averaged``: whether each row begins in an averaged step."""
    found, length = origins.modules, origins.nesting.length_ns
    count, here = len(found.paths), averaged[found.rows]
    path, around = found.path[found.rows], found.enclosing
    inner = sums(around, length[found.rows], len(length))[found.rows]
    cut = length[found.rows]

    unlinked = np.full(len(work.launch), NONE, np.int64)
    forward = origins.modules_of(work.launch, unlinked)
    both = origins.modules_of(work.launch, origins.backward.forward_of(work.launch))
    device = sums(forward, work.time_ns, count)
    backward = sums(np.where(forward >= 0, NONE, both), work.time_ns, count)
    columns = [
        sums(path[here], np.ones(here.sum(), np.int64), count),
        sums(path[here], cut[here], count),
        sums(path[here], (cut - inner)[here], count),
        device,
        _with_those_below(device, found.above),
        sums(forward, work.kernels, count),
        backward,
        _with_those_below(backward, found.above),
        longest_rows(path[here], cut[here], found.rows[here], count),
    ]
    values = [column.tolist() for column in columns]
    rows = [ModuleTimes(found.paths[i], *(v[i] for v in values)) for i in range(count)]
    rows.sort(key=lambda r: (-max(r.cpu_self_ns, r.device_self_ns + r.backward_self_ns), r.path))
    unattributed = work.total_ns - int(device.sum() + backward.sum())
    return Modules(rows, work.total_ns, unattributed, work.events > 0, origins.backward.linked)
