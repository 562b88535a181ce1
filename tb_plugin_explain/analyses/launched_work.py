"""The GPU work of the averaged steps by the call that launched it.

Durations are summed, overlaps counted twice: work, not time that passed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.trace.model import Int32s, Int64s


class LaunchedWork(Struct, frozen=True, eq=False):
    """One element a launch call: its row, the summed time of its GPU events, how many are kernels.

    total_ns: of all events of these steps, also those without a launch. events: their number.
    """

    launch: Int64s
    time_ns: Int64s
    kernels: Int64s
    total_ns: int
    events: int


def sums(index: Int64s | Int32s, weights: Int64s, count: int) -> Int64s:
    """Sum of the weights at each index, which is from -1 to ``count`` - 1; those at -1 are left out."""
    added = np.zeros(count + 1, np.int64)  # -1 is the last place
    np.add.at(added, index, weights)
    return added[:-1]


def find_launched_work(recording: Recording, averaged: Sequence[int]) -> LaunchedWork:
    """The work of some steps."""
    gpu = recording.gpu
    work = np.concatenate([recording.gpu_of_step[i] for i in averaged] or [np.zeros(0, np.int64)])
    duration = gpu.end_ns[work] - gpu.start_ns[work]
    launch, index = np.unique(gpu.launch[work], return_inverse=True)
    time = sums(index, duration, len(launch))
    kernels = sums(index, gpu.is_kernel[work].astype(np.int64), len(launch))
    linked = launch >= 0
    return LaunchedWork(launch[linked], time[linked], kernels[linked], int(duration.sum()), len(work))
