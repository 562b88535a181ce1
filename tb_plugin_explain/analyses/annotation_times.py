"""Annotations by name: CPU time, and the GPU work that was launched inside them.

docs/definitions/annotations.md. Invariant: no name has more GPU work than the steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.launched_work import LaunchedWork, sums
from tb_plugin_explain.analyses.longest import longest_rows
from tb_plugin_explain.analyses.nesting import Nesting
from tb_plugin_explain.analyses.origins import Origins
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Bools, Int32s, Int64s, Trace


class AnnotationTimes(Struct, frozen=True):
    """One name; all but ``recorded_count`` over the averaged steps. longest: its row, -1 without any."""

    name: str
    recorded_count: int
    count: int
    cpu_total_ns: int
    device_ns: int
    kernels: int
    backward_ns: int
    longest: int


class Annotations(Struct, frozen=True):
    """All names, the most expensive first."""

    rows: Sequence[AnnotationTimes]
    device_known: bool
    backward_known: bool


def _around(nesting: Nesting, rows: Int64s, members: Bools, name: Int32s, names: int) -> Int64s:
    """Each pair of a position in ``rows`` and the name of a marked ancestor, once.

    Pairs are ``position * names + name``, sorted.
    """
    pairs = [np.zeros(0, np.int64)]
    position = np.flatnonzero(nesting.inside(members)[rows] & (rows >= 0))
    above = nesting.parent[rows[position]]
    while len(position):
        hit = members[above]
        pairs.append(position[hit] * names + name[above[hit]])
        above = nesting.parent[above]
        position, above = position[above >= 0], above[above >= 0]
    return distinct(np.concatenate(pairs))


def analyze(trace: Trace, origins: Origins, averaged: Bools, work: LaunchedWork) -> Annotations:
    """``averaged``: whether each row begins in an averaged step."""
    nesting, marked, name = origins.nesting, origins.annotations, trace.events.name
    names = max(len(trace.names), 1)
    rows = nesting.ordered(marked)
    here = rows[averaged[rows]]
    own_pair = np.arange(len(here)) * names + name[here]
    outer = here[~np.isin(own_pair, _around(nesting, here, marked, name, names), assume_unique=True)]
    direct = _around(nesting, work.launch, marked, name, names)
    forward = origins.backward.forward_of(work.launch)
    linked = np.setdiff1d(_around(nesting, forward, marked, name, names), direct, assume_unique=True)

    def by_name(pairs: Int64s, weights: Int64s) -> Int64s:
        return sums(pairs % names, weights[pairs // names], names)

    columns = [
        np.bincount(name[rows], minlength=names),
        np.bincount(name[here], minlength=names),
        sums(name[outer], nesting.length_ns[outer], names),
        by_name(direct, work.time_ns),
        by_name(direct, work.kernels),
        by_name(linked, work.time_ns),
        longest_rows(name[here], nesting.length_ns[here], here, names),
    ]
    used = distinct(name[rows])
    values = zip(*(column[used].tolist() for column in columns), strict=True)
    found = [AnnotationTimes(trace.names[i], *v) for i, v in zip(used.tolist(), values, strict=True)]
    found.sort(key=lambda r: (-max(r.cpu_total_ns, r.device_ns), -r.recorded_count, r.name))
    return Annotations(found, work.events > 0, origins.backward.linked)
