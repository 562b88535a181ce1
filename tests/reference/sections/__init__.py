"""The report's sections, computed a second time: slowly, from their definitions alone."""

from __future__ import annotations

import gc
from fractions import Fraction
from pathlib import Path
from typing import Any

from .annotations import reference_annotations
from .basis import Basis
from .call_sites import reference_call_sites
from .communication import reference_communication
from .copies import reference_copies
from .drift import reference_drift
from .entries import queues_of
from .gaps import reference_gaps
from .input import reference_input
from .kernels import reference_kernels
from .memory import reference_memory
from .modules import reference_modules
from .nesting import nesting_of
from .operators import reference_operators
from .profiler_cost import reference_profiler_cost
from .queue import reference_queue

SECTIONS = {
    "kernels": reference_kernels,
    "copies": reference_copies,
    "communication": reference_communication,
    "queue": reference_queue,
    "gaps": reference_gaps,
    "drift": reference_drift,
    "call_sites": reference_call_sites,
    "operators": reference_operators,
    "memory": reference_memory,
    "input": reference_input,
    "profiler_cost": reference_profiler_cost,
    "modules": reference_modules,
    "annotations": reference_annotations,
}
# Splits of times whose parts' names do not end in `_us`.
IN_NANOSECONDS = ("causes", "host_by")


def reference_sections(path: str | Path) -> dict[str, Any]:
    """Section → its figures in µs, or None. `not_measured` holds the names only; the reasons are texts."""
    gc.disable()  # with millions of small objects alive, collecting takes half of the time
    try:
        basis = Basis(path)
        return {name: in_microseconds(section(basis)) for name, section in SECTIONS.items()}
    finally:
        nesting_of.cache_clear()
        queues_of.cache_clear()
        gc.enable()


def in_microseconds(value: Any, is_time: bool = False) -> Any:
    """Every number under a key that ends in `_us` from nanoseconds to µs, fractions to floats."""
    if isinstance(value, dict):
        return {
            key: in_microseconds(item, is_time or key.endswith("_us") or key in IN_NANOSECONDS)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [in_microseconds(item, is_time) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        return value
    if is_time:
        return float(Fraction(value) / 1000)
    return float(value) if isinstance(value, Fraction) else value


__all__ = ["reference_sections"]
