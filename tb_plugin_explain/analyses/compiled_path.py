"""How compiled code ran: the events around it, and what of their time is machinery.

docs/definitions/comparison.md, "compile". PyTorch nests ``Torch-Compiled Region: f/k`` ⊃ ``Pregraph
bytecode``, ``AOTDispatcher Runtime Wrapper Prologue``, ``CompiledFunction`` ⊃ ``## Call CompiledFxGraph``,
each region after a ``TorchDynamo Cache Lookup``; backward, ``CompiledFunctionBackward`` ⊃ ``## Call …``.
Invariant: the parts of a tax sum to it, and it is no longer than what the step's threads ran.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import cached_property

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.compile_time import compile_events
from tb_plugin_explain.analyses.graph_breaks import GraphBreaks, find_graph_breaks
from tb_plugin_explain.analyses.launched_work import sums
from tb_plugin_explain.analyses.operators import OperatorTree
from tb_plugin_explain.analyses.origins import Origins
from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.grouping import Groups
from tb_plugin_explain.trace.model import Bools, Category, Int64s, Trace, UInt8s


class Part(IntEnum):
    """What an event of the compiled path is."""

    REGION = 0
    FUNCTION = 1
    GRAPH = 2
    LOOKUP = 3
    PROLOGUE = 4


_PARTS = (
    (Part.REGION, vocabulary.is_compiled_region),
    (Part.GRAPH, vocabulary.is_compiled_graph),
    (Part.LOOKUP, vocabulary.is_cache_lookup),
    (Part.PROLOGUE, vocabulary.is_prologue),
)


class Tax(Struct, frozen=True):
    """CPU time in the machinery around compiled code."""

    lookup_ns: int
    prologue_ns: int
    wrapper_ns: int

    @property
    def total_ns(self) -> int:
        return self.lookup_ns + self.prologue_ns + self.wrapper_ns


class CompiledPath(Struct, frozen=True, eq=False, dict=True):
    """The events of the compiled path, by thread and start.

    row, step (-1 outside), tax_ns: int64; part: a ``Part``. tax_ns: of graphs 0; of lookups and prologues
    their length without what is compiled or run compiled inside; of regions and functions their own
    time, without what runs at graph breaks. events: by row of the trace, whether it is one of them.
    """

    events: Bools
    row: Int64s
    step: Int64s
    part: UInt8s
    tax_ns: Int64s
    breaks: GraphBreaks

    @cached_property
    def _of_step(self) -> Groups:
        return Groups(self.step, int(self.step.max(initial=-1)) + 1)

    def of_step(self, index: int, *parts: Part) -> Int64s:
        """Rows of the events of these parts (of all, if none is named) that begin in a step."""
        here = self._of_step[index]
        return self.row[here[np.isin(self.part[here], parts)]] if parts else self.row[here]

    @cached_property
    def marks_graphs(self) -> bool:
        """Whether the recording tells the compiled graphs' own code from the code around them."""
        return bool((self.part == Part.GRAPH).any())

    def tax(self, index: int) -> Tax | None:
        """The tax of one step; None where it runs nothing compiled or the recording marks no graphs.

        Versions that mark graphs mark all parts, so that none of a part means that it took no time.
        """
        here = self._of_step[index]
        if not len(here) or not self.marks_graphs:
            return None
        by_part = np.bincount(self.part[here], self.tax_ns[here], len(Part)).astype(np.int64).tolist()
        wrapper = by_part[Part.REGION] + by_part[Part.FUNCTION]
        return Tax(by_part[Part.LOOKUP], by_part[Part.PROLOGUE], wrapper)


def is_compiled(path: CompiledPath, steps: Sequence[int]) -> bool:
    """Whether any of these steps runs compiled code, as far as events around it tell."""
    return bool(np.isin(path.step, np.asarray(steps, np.int64)).any())


def _path_events(trace: Trace) -> Bools:
    on_cpu = trace.is_category(Category.CPU_OP, Category.ANNOTATION) & ~trace.lost
    return on_cpu & trace.names_where(vocabulary.is_compiled_path)


def _parts(trace: Trace, rows: Int64s) -> UInt8s:
    part = np.full(len(rows), Part.FUNCTION, np.uint8)
    for value, named in _PARTS:
        part[trace.names_where(named)[rows]] = value
    return part


def _alone(trace: Trace, origins: Origins, path: Bools) -> Int64s:
    """By row, the length of each event of the path without those, and without compiling, inside it."""
    marked = path | compile_events(trace)
    rows, length = np.flatnonzero(marked), origins.nesting.length_ns
    inside: Int64s = sums(origins.nesting.nearest(rows, marked), length[rows], len(trace.events))
    return length - inside


def find_compiled_path(recording: Recording, origins: Origins, tree: OperatorTree) -> CompiledPath:
    """The compiled path of a recording."""
    trace, nesting = recording.trace, origins.nesting
    events, path = trace.events, _path_events(trace)
    rows = nesting.ordered(path)
    part = _parts(trace, rows)
    regions, lookups = rows[part == Part.REGION], rows[part == Part.LOOKUP]
    breaks = find_graph_breaks(trace, origins, path, regions, lookups)
    own = tree.self_ns[rows] - sums(breaks.region, breaks.own_ns, len(events))[rows]
    waits = (part == Part.LOOKUP) | (part == Part.PROLOGUE)
    tax = np.where(waits, _alone(trace, origins, path)[rows], own)
    tax[part == Part.GRAPH] = 0
    step = recording.windows.owner(events.start_ns[rows], events.process[rows])
    return CompiledPath(path, rows, step, part, tax, breaks)
