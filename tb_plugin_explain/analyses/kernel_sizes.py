"""How long a step's kernels ran, against what the CPU spends on launching one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tb_plugin_explain.trace.links import GpuWork
from tb_plugin_explain.trace.model import Category, Int64s


@dataclass(frozen=True)
class KernelSizes:
    """kernels: how many; median_ns: their typical duration; launch_calls_ns: summed time of the
    launch calls that own them, each once."""

    kernels: int
    median_ns: float
    launch_calls: int
    launch_calls_ns: int


def analyze(gpu: GpuWork, work: Int64s) -> KernelSizes | None:
    """``work``: positions in ``gpu`` of one step's events; None where it has no kernel."""
    kernels = work[gpu.kind[work] == Category.KERNEL]
    if not len(kernels):
        return None
    duration = gpu.end_ns[kernels] - gpu.start_ns[kernels]
    linked = kernels[gpu.linked[kernels]]
    _, first = np.unique(gpu.launch[linked], return_index=True)
    calls = linked[first]
    spent = gpu.launch_end_ns[calls] - gpu.launch_start_ns[calls]
    return KernelSizes(len(kernels), float(np.median(duration)), len(calls), int(spent.sum()))
