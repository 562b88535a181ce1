"""What a drawn trace lacks: grids, occupancy, collectives and sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from tb_plugin_explain.trace.model import (
    NONE,
    Category,
    CollectiveDetails,
    KernelDetails,
    OperatorDetails,
    Trace,
)

SHAPE = "[8,1,1]x[128,1,1]"


def with_kernel_details(
    trace: Trace, shape: str | None = SHAPE, occupancy: Mapping[str, float] | None = None
) -> Trace:
    """All kernels launched in one shape; occupancy by name, of the others not recorded."""
    rows = np.flatnonzero(trace.is_category(Category.KERNEL))
    said = [(occupancy or {}).get(trace.name_of(int(row)), float("nan")) for row in rows]
    kernels = KernelDetails(rows, np.full(len(rows), -1 if shape is None else 0), np.array(said))
    return replace(trace, details=replace(trace.details, kernels=kernels, shapes=(shape or "",)))


def with_collectives(trace: Trace, collective: Mapping[str, str], size_bytes: int = -1) -> Trace:
    """Kernels whose argument names their collective, by kernel name."""
    named = [row for row in range(len(trace.events)) if trace.name_of(row) in collective]
    texts = list(dict.fromkeys(collective.values()))
    ids = [texts.index(collective[trace.name_of(row)]) for row in named]
    details = CollectiveDetails(
        np.array(named, np.int64), np.array(ids, np.int64), np.full(len(named), size_bytes)
    )
    flags = trace.events.collective.copy()
    flags[named] = True
    return replace(
        trace,
        events=replace(trace.events, collective=flags),
        details=replace(trace.details, communication=details, collectives=tuple(texts)),
    )


def with_bytes(trace: Trace, size_bytes: int) -> Trace:
    """Copies and memsets of one size."""
    moved = trace.is_category(Category.MEMCPY, Category.MEMSET)
    return replace(trace, events=replace(trace.events, size_bytes=np.where(moved, size_bytes, -1)))


def with_operator_shapes(trace: Trace, name: str, shapes: Sequence[str]) -> Trace:
    """The calls of one operator, in order, with the dimensions of their inputs."""
    rows = np.array([row for row in range(len(trace.events)) if trace.name_of(row) == name], np.int64)
    told = OperatorDetails(rows, np.full(len(rows), NONE, np.int64), np.arange(len(rows)))
    return replace(trace, details=replace(trace.details, operators=told, shapes=tuple(shapes)))
