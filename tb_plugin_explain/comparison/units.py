"""The GPU events of a typical step as units of the matching: docs/definitions/comparison.md, "groups"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from tb_plugin_explain import glossary
from tb_plugin_explain.analyses.origins import PHASES
from tb_plugin_explain.comparison.captured import recorded_calls
from tb_plugin_explain.comparison.generated import take_apart
from tb_plugin_explain.comparison.operator_names import bare, is_operator
from tb_plugin_explain.comparison.pair import Side
from tb_plugin_explain.comparison.unit import Generated, Unit
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Category, Int64s

Chain = tuple[int, ...]


def seen_operators(side: Side) -> frozenset[str]:
    """Names of all operators that one side ran, as the names of generated kernels hold them."""
    trace = side.run.trace
    rows = trace.is_category(Category.CPU_OP)
    names = [trace.names[i] for i in distinct(trace.events.name[rows]).tolist()]
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


class Called(Struct, frozen=True):
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


def _shapes_of(run: RunAnalyses, rows: Int64s) -> list[str | None]:
    """Input dimensions of each operator (-1: none), None where not recorded."""
    details = run.trace.details
    table = details.operators
    if not len(table.row):
        return [None] * len(rows)
    at = np.minimum(np.searchsorted(table.row, rows), len(table.row) - 1)
    shape = np.where(table.row[at] == rows, table.shape[at], -1)
    return [details.shapes[i] if i >= 0 else None for i in shape.tolist()]


def _in_order(run: RunAnalyses, step: int) -> Int64s:
    """Positions in ``gpu`` of the events of a step, by start of the launch, then of the event."""
    gpu = run.recording.gpu
    found = run.recording.gpu_of_step[step]
    launched = np.where(gpu.linked[found], gpu.launch_start_ns[found], gpu.start_ns[found])
    ordered: Int64s = found[np.lexsort((gpu.row[found], gpu.start_ns[found], launched))]
    return ordered


class Pieces(Struct, frozen=True, eq=False):
    """What units are made of, in their order: int64 columns, and the operators of each.

    row: of the event. kind: a ``Category``. phase: index into ``PHASES``. shaped: row of the operator whose
    input dimensions count, -1 where there is none.
    """

    row: Int64s
    kind: Int64s
    time_ns: Int64s
    phase: Int64s
    shaped: Int64s
    called: Sequence[Called]


def find_units(side: Side, seen: Collection[str]) -> list[Unit]:
    """The GPU events of the side's typical step, in order of launch; none where it has no such step.

    seen: the operators of the other side, with which generated names are read.
    """
    run, step = side.run, side.typical
    if step is None:
        return []
    gpu, names = run.recording.gpu, _Names(run, seen)
    events = _in_order(run, step)
    chains = CallChains(run).of(recorded_calls(run, events))
    called = [
        names.called(name, chain) for name, chain in zip(gpu.name[events].tolist(), chains, strict=True)
    ]
    launch = gpu.launch[events]
    phases = np.where(launch >= 0, run.origins.phases(np.maximum(launch, 0)), len(PHASES) - 1)
    time_ns = gpu.end_ns[events] - gpu.start_ns[events]
    shaped = np.array([c.calls[0] if c.calls else -1 for c in called], np.int64)
    return make_units(
        run, Pieces(gpu.row[events], gpu.kind[events].astype(np.int64), time_ns, phases, shaped, called)
    )


def make_units(run: RunAnalyses, pieces: Pieces) -> list[Unit]:
    """One unit a piece; what its name and its innermost operator tell is read here."""
    columns = (pieces.row, pieces.kind, pieces.time_ns, pieces.phase)
    shapes = _shapes_of(run, pieces.shaped)
    rows = zip(*(column.tolist() for column in columns), shapes, pieces.called, strict=True)
    units = []
    for i, (row, kind, time_ns, phase, shape, called) in enumerate(rows):
        name, size = run.trace.name_of(row), int(run.trace.events.size_bytes[row])
        units.append(
            Unit(
                position=i,
                name=name,
                kind=Category(kind),
                time_ns=time_ns,
                bytes=size if size >= 0 else None,
                ops=called.ops,
                calls=called.calls,
                phase=PHASES[phase],
                shape=shape,
                operation=None if kind == Category.CPU_OP else glossary.facts(name, Category(kind)).operation,
                generated=called.generated,
                operator=run.trace.name_of(called.calls[0]) if called.calls else None,
            )
        )
    return units
