"""The GPU work of the averaged steps, and the step that stands for them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.trace.links import GpuWork
from tb_plugin_explain.trace.model import Int64s


class AveragedWork(Struct, frozen=True, eq=False, dict=True):
    """position: of the events in ``gpu``, ascending; step: index of the step of each; int64.

    steps: how many steps are averaged. typical: index of the typical step, docs/definitions/kernels.md.
    """

    gpu: GpuWork
    position: Int64s
    step: Int64s
    steps: int

    @cached_property
    def duration_ns(self) -> Int64s:
        return self.gpu.end_ns[self.position] - self.gpu.start_ns[self.position]

    @cached_property
    def typical(self) -> int | None:
        return find_typical(self.step, self.duration_ns)


def find_typical(step: Int64s, time_ns: Int64s) -> int | None:
    """The step with the median sum of times: of two middle ones the smaller, of equal ones the latest."""
    steps, of = np.unique(step, return_inverse=True)
    if not len(steps):
        return None
    sums = np.zeros(len(steps), np.int64)
    np.add.at(sums, of, time_ns)
    middle = np.sort(sums)[(len(sums) - 1) // 2]
    return int(steps[np.flatnonzero(sums == middle)[-1]])


def find_averaged_work(recording: Recording, averaged: Sequence[int]) -> AveragedWork:
    """The events of these steps."""
    step = recording.step_of_gpu
    position = np.flatnonzero(np.isin(step, np.asarray(averaged, np.int64)))
    return AveragedWork(recording.gpu, position, step[position], len(averaged))
