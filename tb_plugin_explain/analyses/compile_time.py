"""How long a recording spent compiling, and in which phases.

docs/definitions/comparison.md, "compile". Invariant: the phases sum to the whole.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.model import Bools, Category, Trace

_NEVER = np.iinfo(np.int64).max


class CompileTime(Struct, frozen=True):
    """total_ns: when any compile event of the recording ran. phases_ns: by phase, the longest first."""

    total_ns: int
    phases_ns: Mapping[str, int]


def compile_events(trace: Trace) -> Bools:
    """Whether each row is an event of compiling."""
    on_cpu = trace.is_category(Category.CPU_OP, Category.ANNOTATION) & ~trace.lost
    return on_cpu & trace.names_where(vocabulary.is_compile)


def _own_times(start: list[int], end: list[int]) -> list[int]:
    """Length of the part of each interval in which none that began later runs; sums to their union.

    The intervals are sorted by start, of equal ones the longest first.
    """
    own: list[int] = [0] * len(start)
    stack: list[int] = []
    now = 0
    for i, begin in enumerate([*start, _NEVER]):
        while stack and now < begin:
            until = min(end[stack[-1]], begin)
            own[stack[-1]] += max(until - now, 0)
            now = max(now, until)
            if end[stack[-1]] <= now:
                stack.pop()
        now = begin
        stack.append(i)
    return own


def find_compile_time(trace: Trace) -> CompileTime | None:
    """The time of all compile events; None where the recording has none."""
    events, rows = trace.events, np.flatnonzero(compile_events(trace))
    if not len(rows):
        return None
    rows = rows[np.lexsort((-events.end_ns_of(rows), events.start_ns[rows]))]
    own = _own_times(events.start_ns[rows].tolist(), events.end_ns_of(rows).tolist())
    phases: dict[str, int] = {}
    for row, time in zip(rows.tolist(), own, strict=True):
        phase = vocabulary.compile_phase(trace.name_of(row))
        phases[phase] = phases.get(phase, 0) + time
    longest = sorted(phases, key=lambda phase: (-phases[phase], phase))
    return CompileTime(sum(own), {phase: phases[phase] for phase in longest})
