"""Memory events for a drawn trace, without a file around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from tb_plugin_explain.analyses.memory_events import Allocator, find_allocators
from tb_plugin_explain.trace.model import Category, Details, MemoryDetails, Trace
from tests.trace_drawing import Row, rows_of, trace_of

CUDA = 1


class Mem(NamedTuple):
    """One memory event; a negative size frees. The allocator's totals follow from the sizes before it."""

    time_us: float
    address: int
    size_bytes: int
    reserved_bytes: int = 0
    thread: str = "1"
    name: str = "[memory]"


def remember(
    picture: str, events: Sequence[Mem], before_bytes: int = 0, device_type: int = CUDA, device: int = 0
) -> Trace:
    """The drawn trace with these events, on one allocator that held ``before_bytes``."""
    rows = rows_of(picture)
    instants = [Row(Category.INSTANT, e.name, e.time_us, 0, thread=e.thread) for e in events]
    trace = trace_of([*rows, *instants])
    count = len(events)
    sizes = np.array([e.size_bytes for e in events], np.int64)
    order = np.argsort([e.time_us for e in events], kind="stable")
    allocated = np.empty(count, np.int64)
    allocated[order] = before_bytes + np.cumsum(sizes[order])
    memory = MemoryDetails(
        row=np.arange(len(rows), len(rows) + count),
        address=np.array([e.address for e in events], np.int32),
        size_bytes=sizes,
        allocated_bytes=allocated,
        reserved_bytes=np.array([e.reserved_bytes for e in events], np.int64),
        device_type=np.full(count, device_type, np.int32),
        device=np.full(count, device, np.int32),
    )
    return replace(trace, details=Details(memory=memory))


def allocator_of(trace: Trace) -> Allocator:
    """The only allocator of a trace."""
    (only,) = find_allocators(trace)
    return only
