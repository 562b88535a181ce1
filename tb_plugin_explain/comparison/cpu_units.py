"""The operators of a typical step as units of the matching, where neither side has GPU work.

docs/definitions/comparison.md, "groups". Invariant: the units' times sum to the own CPU time of the
step's operators and compiled graphs.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from tb_plugin_explain.comparison.generated import take_apart
from tb_plugin_explain.comparison.operator_names import bare, is_operator
from tb_plugin_explain.comparison.pair import Side
from tb_plugin_explain.comparison.unit import GRAPH, Generated, Unit
from tb_plugin_explain.comparison.units import CallChains, Called, Chain, Pieces, make_units
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.model import Category, Int64s

# Stands for a compiled graph, of which the trace tells neither name nor operators.
_COMPILED_GRAPH = Generated("compiled graph", GRAPH, (), False)


def _rows(run: RunAnalyses, step: int) -> Int64s:
    """The operators and compiled graphs that begin in the step, by start, parents first."""
    events, order = run.trace.events, run.origins.nesting.order
    rows = order[(run.operator_tree.operators | run.compiled_path.events)[order]]
    owner = run.recording.windows.owner(events.start_ns[rows], events.process[rows])
    mine = rows[owner == step]
    in_order: Int64s = mine[np.argsort(events.start_ns[mine], kind="stable")]
    return in_order


def _generated(name: str, seen: Collection[str]) -> Generated | None:
    return _COMPILED_GRAPH if vocabulary.is_compiled_graph(name) else take_apart(name, seen)


def _own_op(name: str) -> str:
    """What an event is called among the operators: regions by what they are, not by their number."""
    return "Torch-Compiled Region" if vocabulary.is_compiled_region(name) else bare(name)


def _around(run: RunAnalyses, row: int, chain: Chain) -> dict[str, int]:
    """The row of each operator above, innermost first; of one name the innermost."""
    found: dict[str, int] = {}
    for above in chain:
        name = run.trace.name_of(above)
        if above != row and is_operator(name) and take_apart(name) is None:
            found.setdefault(bare(name), above)
    return found


def _called(run: RunAnalyses, row: int, chain: Chain, seen: Collection[str]) -> Called:
    name = run.trace.name_of(row)
    generated = _generated(name, seen)
    calls = {} if generated else {_own_op(name): row}
    for op, above in _around(run, row, chain).items():
        calls.setdefault(op, above)
    return Called(tuple(calls), tuple(calls.values()), generated)


def find_cpu_units(side: Side, seen: Collection[str]) -> list[Unit]:
    """The calls of operators of the side's typical step by CPU time, each with its own time.

    seen: the operators of the other side, with which generated names are read. The own time of a
    compiled graph is a unit of kind ``GRAPH`` without operators.
    """
    run, step = side.run, side.typical_of_cpu
    if step is None:
        return []
    rows = _rows(run, step)
    chains = CallChains(run).of(rows)
    called = [_called(run, row, chain, seen) for row, chain in zip(rows.tolist(), chains, strict=True)]
    kind = np.full(len(rows), Category.CPU_OP, np.int64)
    times, phases = run.operator_tree.self_ns[rows], run.origins.phases(rows)
    return make_units(run, Pieces(rows, kind, times, phases, rows, called))
