"""Which rows are waits, allocator calls, loading calls and launches (docs/definitions.md, Names)."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.links import CALLS, GpuWork
from tb_plugin_explain.trace.model import NO_CORRELATION, Bools, Category, Trace


class CallKinds(Struct, frozen=True, eq=False):
    """Masks over the rows of a trace; all but ``overhead_*`` mark runtime and driver calls."""

    call: Bools
    explicit_wait: Bools
    device_wide_wait: Bools
    implicit_wait: Bools
    allocator: Bools
    device_allocator: Bools
    loading: Bools
    kernel_launch: Bools
    overhead_profiler: Bools
    overhead_loading: Bools
    overhead_full_queue: Bools


def _pageable_copy_calls(trace: Trace, gpu: GpuWork) -> Bools:
    """Asynchronous copy calls whose own GPU copy is from or to pageable memory."""
    pageable_name = np.fromiter(
        (vocabulary.is_pageable_copy(n) for n in trace.names), np.bool_, len(trace.names)
    )
    copies = (gpu.kind == Category.MEMCPY) & gpu.linked
    copies[copies] = pageable_name[gpu.name[copies]]
    own = np.zeros(len(trace.events), np.bool_)
    own[gpu.launch[copies]] = True
    return own & trace.names_where(vocabulary.is_memcpy_async)


def _seen_from_both_sides(trace: Trace, waits: Bools) -> Bools:
    """Waits that another process's wait of the same correlation holds: the driver's side of it.

    MTIA records ``synchronize`` of its driver inside ``synchronizeStream`` of the program.
    """
    events, rows = trace.events, np.flatnonzero(waits & (trace.events.correlation != NO_CORRELATION))
    _, group, times = np.unique(events.correlation[rows], return_inverse=True, return_counts=True)
    inner = np.zeros(len(events), np.bool_)
    pairs = rows[times[group] > 1]
    by_correlation: dict[int, list[int]] = {}
    for row in pairs.tolist():
        by_correlation.setdefault(int(events.correlation[row]), []).append(row)
    for together in by_correlation.values():
        outer = min(together, key=lambda row: (events.start_ns[row], -events.end_ns_of(row)))
        for row in together:
            other_process = events.process[row] != events.process[outer]
            inner[row] = other_process and events.end_ns_of(row) <= events.end_ns_of(outer)
    return inner


def find_call_kinds(trace: Trace, gpu: GpuWork) -> CallKinds:
    """The masks of one trace."""
    real = ~trace.lost
    call = trace.is_category(*CALLS) & real
    runtime = trace.is_category(Category.RUNTIME) & real
    overhead = trace.is_category(Category.OVERHEAD) & real
    allocator = call & trace.names_where(vocabulary.is_allocator)
    loading = call & trace.names_where(vocabulary.is_loading_call)
    explicit_wait = call & trace.names_where(vocabulary.is_explicit_wait)
    explicit_wait |= runtime & trace.names_where(vocabulary.is_explicit_runtime_wait)
    explicit_wait &= ~_seen_from_both_sides(trace, explicit_wait)
    copying = _pageable_copy_calls(trace, gpu) | trace.names_where(vocabulary.is_memcpy_with_wait)
    return CallKinds(
        call=call,
        explicit_wait=explicit_wait,
        device_wide_wait=call & trace.names_where(vocabulary.is_device_wide_wait),
        implicit_wait=call & copying | allocator | loading,
        allocator=allocator,
        device_allocator=allocator & trace.names_where(vocabulary.is_device_allocator),
        loading=loading,
        kernel_launch=call & trace.names_where(vocabulary.is_kernel_launch),
        overhead_profiler=overhead & trace.names_where(vocabulary.PROFILER_OVERHEAD.__contains__),
        overhead_loading=overhead & trace.names_where(vocabulary.LOADING_OVERHEAD.__contains__),
        overhead_full_queue=overhead & trace.names_where(vocabulary.FULL_QUEUE_OVERHEAD.__eq__),
    )
