"""How long a step's kernels ran, and how many calls launched them."""

from __future__ import annotations

from msgspec import Struct

from tb_plugin_explain.trace.grouping import distinct, median_of
from tb_plugin_explain.trace.links import GpuWork
from tb_plugin_explain.trace.model import Category, Int64s


class KernelSizes(Struct, frozen=True):
    """kernels: how many; median_ns: their typical duration; launch_calls: the calls that own them."""

    kernels: int
    median_ns: float
    launch_calls: int


def analyze(gpu: GpuWork, work: Int64s) -> KernelSizes | None:
    """``work``: positions in ``gpu`` of one step's events; None where it has no kernel."""
    kernels = work[gpu.kind[work] == Category.KERNEL]
    if not len(kernels):
        return None
    duration = gpu.end_ns[kernels] - gpu.start_ns[kernels]
    launches = distinct(gpu.launch[kernels[gpu.linked[kernels]]])
    return KernelSizes(len(kernels), median_of(duration), len(launches))
