"""Which units can be what a generated kernel’s name speaks of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from tb_plugin_explain.analyses.copy_table import read_copy_name
from tb_plugin_explain.comparison.heavy import work_of
from tb_plugin_explain.comparison.operator_names import HEAVY, stand_ins
from tb_plugin_explain.comparison.unit import Generated, Unit
from tb_plugin_explain.trace.model import Bools, Category

_FOREACH = "_foreach_"
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def operators_of(unit: Unit) -> tuple[str, ...]:
    """The operators that a unit is the work of, if another kernel can do it; () if none.

    Copies from and to the host stay copies. Inside of a heavy operator only the kernel that does
    its work is evidence of it.
    """
    if unit.generated:
        return unit.generated.ops
    if unit.kind == Category.MEMCPY and read_copy_name(unit.name).direction != "DtoD":
        return ()
    if speaks_by_name(unit):
        return words_of(unit.name)
    heavy = work_of(unit) is not None
    ops = [op for op in unit.ops if heavy or op not in HEAVY]
    return (*ops, *(op.removeprefix(_FOREACH) for op in ops if op.startswith(_FOREACH)))


def speaks_by_name(unit: Unit) -> bool:
    """Whether only the kernel's name tells of its operator: nothing else was recorded."""
    return not unit.ops and unit.kind == Category.KERNEL and work_of(unit) is None


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a kernel's name, as ``mul`` and ``functor`` of ``MulFunctor``."""
    return tuple(dict.fromkeys(word.lower() for word in _WORD.findall(name)))


class Evidence:
    """Of some units: for each operator of a generated name, which are its work.

    Names share operators, so that one row an operator is all that is kept.
    """

    def __init__(self, units: Sequence[Unit]) -> None:
        lists: dict[tuple[str, ...], int] = {}
        self._list = np.array([lists.setdefault(operators_of(u), len(lists)) for u in units], np.int64)
        self._lists = [frozenset(ops) for ops in lists]
        self._light = np.array([work_of(u) is None for u in units], np.bool_)
        self._rows: dict[str, Bools | None] = {}
        self._light_rows: dict[str, Bools] = {}

    def rows(self, generated: Generated) -> list[Bools]:
        """For each operator of the name that has any, whether each unit is its work."""
        found = (self._row(op) for op in generated.ops)
        return [row for row in found if row is not None]

    def light_rows(self, generated: Generated) -> list[Bools]:
        """The same rows without the units that do heavy work."""
        for op in generated.ops:
            row = self._row(op)
            if row is not None and op not in self._light_rows:
                self._light_rows[op] = row & self._light
        return [self._light_rows[op] for op in generated.ops if op in self._light_rows]

    def _row(self, op: str) -> Bools | None:
        """Whether each unit is the operator’s work; None where none is."""
        if op not in self._rows:
            names = stand_ins(op)
            table = np.array([not ops.isdisjoint(names) for ops in self._lists], np.bool_)
            self._rows[op] = table[self._list] if table.any() else None
        return self._rows[op]


def covers(claimed: Sequence[Unit], op: str) -> bool:
    """Whether any of the units is the work of the operator."""
    names = stand_ins(op)
    return any(not frozenset(operators_of(u)).isdisjoint(names) for u in claimed)
