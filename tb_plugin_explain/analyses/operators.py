"""Operators by name: calls, CPU time as ``prof.key_averages()`` counts it, and the GPU work they launched.

docs/definitions/operators.md. Invariant: ``device_self_ns`` of all names and what no operator
launched sum to the steps' GPU work.
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
from tb_plugin_explain.trace.model import NONE, Bools, Category, Int32s, Int64s, Trace

# torch/autograd/profiler_util.py, _filter_name.
IGNORED = frozenset(
    {
        "profiler::_record_function_enter",
        "profiler::_record_function_enter_new",
        "profiler::_record_function_exit",
        "aten::is_leaf",
        "aten::output_nr",
        "aten::_version",
    }
)


class OperatorTimes(Struct, frozen=True):
    """One name. ``recorded_*``: of the whole file; the others: of the averaged steps.

    longest: row of the longest call, -1 without any.
    """

    name: str
    recorded_calls: int
    recorded_total_ns: int
    recorded_self_ns: int
    calls: int
    cpu_total_ns: int
    cpu_self_ns: int
    device_self_ns: int
    device_total_ns: int
    kernels: int
    longest: int


class Operators(Struct, frozen=True):
    """All names, the most expensive first. device_ns, unattributed_ns: see the definition."""

    rows: Sequence[OperatorTimes]
    device_ns: int
    unattributed_ns: int
    device_known: bool


class OperatorTree(Struct, frozen=True, eq=False):
    """The trees without Python frames, by row of the trace.

    operators: whether it is an operator that counts. self_ns: its length without its children.
    repeated: whether it repeats its parent.
    """

    operators: Bools
    self_ns: Int64s
    repeated: Bools


def is_ignored(trace: Trace) -> Bools:
    """Whether each row is an operator that ``prof.key_averages()`` leaves out."""
    return trace.is_category(Category.CPU_OP) & trace.names_where(IGNORED.__contains__)


def find_parents(trace: Trace, nesting: Nesting, ignored: Bools) -> tuple[Int64s, Int32s]:
    """The rows of the trees, parents first, and the row of the parent of each, -1 without one."""
    kept = ~trace.is_category(Category.PYTHON) & ~ignored
    rows = nesting.ordered(kept)
    above = nesting.parent[rows]
    left = np.flatnonzero((above >= 0) & ~kept[above])
    while len(left):
        above[left] = nesting.parent[above[left]]
        left = left[(above[left] >= 0) & ~kept[above[left]]]
    return rows, above


def find_tree(trace: Trace, origins: Origins) -> OperatorTree:
    """The trees as ``prof.key_averages()`` sees them."""
    nesting, names = origins.nesting, trace.events.name
    ignored = is_ignored(trace)
    rows, above = find_parents(trace, nesting, ignored)
    count = len(trace.events)
    repeated = np.zeros(count, np.bool_)
    repeated[rows] = (above >= 0) & (names[rows] == names[above]) & _is_alone(above, count)
    own = sums(above, nesting.length_ns[rows], count)
    np.subtract(nesting.length_ns, own, out=own)
    return OperatorTree(origins.operators & ~ignored & (nesting.length_ns >= 0), own, repeated)


def _is_alone(above: Int32s, count: int) -> Bools:
    """Whether each event is the only child of the row above it."""
    children = np.bincount(above[above >= 0], minlength=count)
    alone: Bools = children[above] == 1
    return alone


def _device_totals(trace: Trace, origins: Origins, tree: OperatorTree, work: LaunchedWork) -> Int64s:
    """By name id: GPU time below the operators of that name."""
    counted = tree.operators & ~tree.repeated
    totals = np.zeros(len(trace.names), np.int64)
    above, time = origins.nesting.parent[work.launch], work.time_ns
    while len(above):
        real = above >= 0
        above, time = above[real], time[real]
        here = counted[above]
        totals += sums(trace.events.name[above[here]], time[here], len(trace.names))
        above = origins.nesting.parent[above]
    return totals


def analyze(
    trace: Trace, origins: Origins, tree: OperatorTree, averaged: Bools, work: LaunchedWork
) -> Operators:
    """``averaged``: whether each row begins in an averaged step."""
    names, length = trace.events.name, origins.nesting.length_ns
    ops = origins.nesting.ordered(tree.operators)
    once, here = ~tree.repeated[ops], averaged[ops]
    name, count = names[ops], len(trace.names)

    def calls(chosen: Bools) -> Int64s:
        return np.bincount(name[chosen], minlength=count)

    def by_name(weights: Int64s, chosen: Bools) -> Int64s:
        return sums(name[chosen], weights[chosen], count)

    cut, own = length[ops], tree.self_ns[ops]
    direct = origins.nesting.nearest(work.launch, tree.operators)
    launcher = np.where(direct >= 0, names[direct], NONE) if len(names) else direct
    columns = [
        calls(once), by_name(cut, once), sums(name, own, count),
        calls(once & here), by_name(cut, once & here), by_name(own, here),
        sums(launcher, work.time_ns, count),
        _device_totals(trace, origins, tree, work),
        sums(launcher, work.kernels, count),
        longest_rows(name[once & here], cut[once & here], ops[once & here], count),
    ]  # fmt: skip
    found = distinct(name)
    values = zip(*(column[found].tolist() for column in columns), strict=True)
    rows = [OperatorTimes(trace.names[i], *v) for i, v in zip(found.tolist(), values, strict=True)]
    rows.sort(key=lambda r: (-max(r.cpu_self_ns, r.device_self_ns), -r.recorded_self_ns, r.name))
    unattributed = work.total_ns - sum(r.device_self_ns for r in rows)
    return Operators(rows, work.total_ns, unattributed, work.events > 0)
