"""GPU events without a launch, and how many of them were simply queued when recording began."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from tb_plugin_explain.trace.links import GpuWork


class LeftoverWork(Struct, frozen=True):
    """count, time_ns (summed): all events without a launch.

    before_ns: the time of those that started before their device's first launched event did.
    """

    count: int
    time_ns: int
    before_ns: int


def analyze(gpu: GpuWork) -> LeftoverWork:
    """The events without a launch; without any launched event, none can be called left over."""
    free = ~gpu.linked
    duration = gpu.end_ns - gpu.start_ns
    before = np.zeros(len(gpu), np.bool_)
    for device in gpu.devices:
        launched = gpu.start_ns[gpu.linked & (gpu.device == device)]
        if len(launched):
            before |= free & (gpu.device == device) & (gpu.start_ns < launched.min())
    return LeftoverWork(int(free.sum()), int(duration[free].sum()), int(duration[before].sum()))
