"""How fast this machine is now: limits of time are told by it, since tests run beside each other."""

from __future__ import annotations

import time
from collections.abc import Callable

_SAMPLE_S = 0.1


def slowness() -> float:
    """How many times as long work takes as on an idle machine: its time by its CPU time; 1 or more."""
    began_s, began_cpu_s = time.monotonic(), time.thread_time()
    while (cpu_s := time.thread_time() - began_cpu_s) < _SAMPLE_S:
        sum(range(10_000))
    return max(1.0, (time.monotonic() - began_s) / cpu_s)


def cpu_s(work: Callable[[], object]) -> float:
    """The least CPU time of a few runs in this thread, without that of others."""
    taken = []
    for _ in range(3):
        began = time.thread_time()
        work()
        taken.append(time.thread_time() - began)
    return min(taken)
