"""What one device did for one step, wherever on the GPU's clock it ran.

docs/definitions.md, ``gpu[]``. Each figure is a union over all streams of the device.
Invariant: every figure is at most ``busy_ns``.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from tb_plugin_explain.trace.links import GpuWork
from tb_plugin_explain.trace.model import Bools, Category, Int64s
from tb_plugin_explain.trace.spans import Spans, subtract, union


class GpuActivity(Struct, frozen=True):
    """Lengths of unions, in ns; communication is part of kernels too."""

    busy_ns: int
    kernel_ns: int
    copy_ns: int
    memset_ns: int
    communication_ns: int
    communication_exposed_ns: int
    copy_exposed_ns: int


def analyze(gpu: GpuWork, work: Int64s) -> GpuActivity:
    """``work``: positions in ``gpu`` of one step's events on one device."""
    start, end, kind = gpu.start_ns[work], gpu.end_ns[work], gpu.kind[work]

    def ran(chosen: Bools) -> Spans:
        return union(start[chosen], end[chosen])

    copies, communication = kind == Category.MEMCPY, gpu.communication[work]
    copying, communicating = ran(copies), ran(communication)
    return GpuActivity(
        busy_ns=ran(np.ones(len(work), np.bool_)).length_ns,
        kernel_ns=ran(kind == Category.KERNEL).length_ns,
        copy_ns=copying.length_ns,
        memset_ns=ran(kind == Category.MEMSET).length_ns,
        communication_ns=communicating.length_ns,
        communication_exposed_ns=subtract(communicating, ran(~communication)).length_ns,
        copy_exposed_ns=subtract(copying, ran(~copies)).length_ns,
    )
