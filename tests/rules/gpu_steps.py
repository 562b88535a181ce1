"""Traces of like steps, for rules about what the GPU did: each step does the same few things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, trace_of


class Work(NamedTuple):
    """One call and the GPU work of it, one after the other on stream 7, without a gap."""

    name: str
    gpu_us: float
    call_us: float = 5
    call: str = "cudaLaunchKernel"
    events: int = 1
    size_bytes: int = -1


def steps_of(
    works: Sequence[Work],
    steps: int = 4,
    idle_us: float = 0,
    slow_us: float = 0,
    ahead: bool = False,
    beside: Sequence[Row] = (),
) -> Trace:
    """Steps that do this work each.

    idle_us: the GPU idles before each. slow_us: each event of step 3 takes longer. ahead: the CPU goes on
    to the next step without waiting for the GPU. beside: what else is in the trace.
    """
    rows, now, gpu, correlation = [*beside], 100.0, 0.0, 0
    for step in range(steps):
        begin = now
        call = begin + idle_us
        for work in works:
            correlation += 1
            kind = {"Memcpy": Category.MEMCPY, "Memset": Category.MEMSET}.get(work.name[:6], Category.KERNEL)
            rows.append(Row(Category.RUNTIME, work.call, call, work.call_us, correlation=correlation))
            call += work.call_us
            for _ in range(work.events):
                took = work.gpu_us + (slow_us if step == 2 else 0)
                gpu = max(gpu, call)
                rows.append(
                    Row(kind, work.name, gpu, took, correlation=correlation, device=0, stream="7",
                        size_bytes=work.size_bytes)
                )  # fmt: skip
                gpu += took
        now = call if ahead else max(call, gpu)
        rows.append(Row(Category.ANNOTATION, f"ProfilerStep#{step + 1}", begin, now - begin))
    return trace_of(rows)


def kernels(*times_us: float) -> list[Work]:
    """Kernels k0, k1, … of these durations."""
    return [Work(f"k{i}", us) for i, us in enumerate(times_us)]
