"""The GPU events of a typical step as units of the matching: docs/definitions/comparison.md, "groups"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tb_plugin_explain import glossary
from tb_plugin_explain.analyses.origins import PHASES
from tb_plugin_explain.comparison.captured import recorded_calls
from tb_plugin_explain.comparison.generated import take_apart
from tb_plugin_explain.comparison.operator_names import bare, is_operator
from tb_plugin_explain.comparison.pair import Side
from tb_plugin_explain.comparison.unit import Generated, Unit
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Int64s

Chain = tuple[int, ...]


def seen_operators(side: Side) -> frozenset[str]:
    """Names of all operators that one side ran, as the names of generated kernels hold them."""
    trace = side.run.trace
    rows = trace.is_category(Category.CPU_OP)
    names = [trace.names[i] for i in np.unique(trace.events.name[rows]).tolist()]
    return frozenset(bare(n) for n in names if is_operator(n) and take_apart(n) is None)


class CallChains:
    """The operators around each launch, innermost first, as rows of the trace."""

    def __init__(self, run: RunAnalyses) -> None:
        self._run = run
        self._of: dict[int, Chain] = {-1: ()}

    @cached_property
    def _parent(self) -> Int64s:
        """The nearest operator above each operator; asked for rows of operators alone."""
        origins = self._run.origins
        rows = np.flatnonzero(origins.operators)
        parent = np.full(len(self._run.trace.events), -1, np.int64)
        parent[rows] = origins.nesting.nearest(rows, origins.operators)
        return parent

    def of(self, launches: Int64s) -> list[Chain]:
        """All operators around each launch (-1: none)."""
        origins = self._run.origins
        return [self.upwards(row) for row in origins.nesting.nearest(launches, origins.operators).tolist()]

    def upwards(self, row: int) -> Chain:
        """An operator and all above it."""
        path = []
        while row not in self._of:
            path.append(row)
            row = int(self._parent[row])
        chain = self._of[row]
        for above in reversed(path):
            chain = self._of[above] = (above, *chain)
        return chain


@dataclass(frozen=True)
class Called:
    """The operators of a unit: bare names and rows, and the generated name that its launch bears."""

    ops: tuple[str, ...]
    calls: tuple[int, ...]
    generated: Generated | None


class _Names:
    """What names alone tell, asked once a name."""

    def __init__(self, run: RunAnalyses, seen: Collection[str]) -> None:
        self._names = run.trace.names
        self._row_name = run.trace.events.name
        self._seen = seen
        self._generated: dict[str, Generated | None] = {}
        self._called: dict[tuple[int, Chain], Called] = {}

    def generated(self, name: str) -> Generated | None:
        if name not in self._generated:
            self._generated[name] = take_apart(name, self._seen)
        return self._generated[name]

    def called(self, kernel: int, chain: Chain) -> Called:
        """What the operators around the launch of a kernel of this name id say of it."""
        key = (kernel, chain)
        if key not in self._called:
            self._called[key] = self._read(self._names[kernel], chain)
        return self._called[key]

    def _read(self, name: str, chain: Chain) -> Called:
        generated = self.generated(name)
        kept = []
        for row in chain:
            op = self._names[self._row_name[row]]
            of_op = self.generated(op)
            if generated and of_op and not generated.ops:
                # A nameless kernel: the operator that launches it has the name.
                generated = of_op
            if of_op is None and op != name and is_operator(op):
                kept.append((bare(op), row))
        ops = dict(reversed(kept))  # Of one name the innermost.
        kept = [pair for pair in kept if ops[pair[0]] == pair[1]]
        return Called(tuple(o for o, _ in kept), tuple(r for _, r in kept), generated)


def shapes_of(run: RunAnalyses, rows: Sequence[int]) -> list[str | None]:
    """Input dimensions of each operator (-1: none), None where not recorded."""
    details = run.trace.details
    table = details.operators
    if not len(table.row):
        return [None] * len(rows)
    wanted = np.asarray(rows, np.int64)
    at = np.minimum(np.searchsorted(table.row, wanted), len(table.row) - 1)
    shape = np.where(table.row[at] == wanted, table.shape[at], -1)
    return [details.shapes[i] if i >= 0 else None for i in shape.tolist()]


def _in_order(run: RunAnalyses, step: int) -> Int64s:
    """Positions in ``gpu`` of the events of a step, by start of the launch, then of the event."""
    gpu = run.recording.gpu
    found = run.recording.gpu_of_step[step]
    launched = np.where(gpu.linked[found], gpu.launch_start_ns[found], gpu.start_ns[found])
    ordered: Int64s = found[np.lexsort((gpu.row[found], gpu.start_ns[found], launched))]
    return ordered


def find_units(side: Side, seen: Collection[str]) -> list[Unit]:
    """The GPU events of the side's typical step, in order of launch; none where it has no such step.

    seen: the operators of the other side, with which generated names are read.
    """
    run, step = side.run, side.typical
    if step is None:
        return []
    gpu, names = run.recording.gpu, _Names(run, seen)
    events = _in_order(run, step)
    launch = gpu.launch[events]
    chains = CallChains(run).of(recorded_calls(run, events))
    name_ids = gpu.name[events].tolist()
    called = [names.called(name, chain) for name, chain in zip(name_ids, chains, strict=True)]
    shapes = shapes_of(run, [c.calls[0] if c.calls else -1 for c in called])
    phases = np.where(launch >= 0, run.origins.phases(np.maximum(launch, 0)), len(PHASES) - 1).tolist()
    kinds = [Category(k) for k in gpu.kind[events].tolist()]
    time = (gpu.end_ns[events] - gpu.start_ns[events]).tolist()
    size = run.trace.events.size_bytes[gpu.row[events]].tolist()
    return [
        Unit(
            position=i,
            name=run.trace.names[name_ids[i]],
            kind=kinds[i],
            time_ns=time[i],
            bytes=size[i] if size[i] >= 0 else None,
            ops=called[i].ops,
            calls=called[i].calls,
            phase=PHASES[phases[i]],
            shape=shapes[i],
            operation=glossary.facts(run.trace.names[name_ids[i]], kinds[i]).operation,
            generated=called[i].generated,
            operator=run.trace.name_of(called[i].calls[0]) if called[i].calls else None,
        )
        for i in range(len(events))
    ]
