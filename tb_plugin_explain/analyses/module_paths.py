"""The calls of ``nn.Module``s and their paths (docs/definitions/modules.md)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.nesting import Nesting
from tb_plugin_explain.trace import frames
from tb_plugin_explain.trace.model import NONE, Bools, Category, Int32s, Int64s, Trace


class ModulePaths(Struct, frozen=True, eq=False):
    """frames: whether each row is the call of a module. rows: those, parents first.

    path: by row, index into ``paths``; -1 of other rows. paths: ``Net_0/Linear_1`` …, each after
    the one that it continues. above: by path, the index of that one, -1 where there is none.
    enclosing: for each of ``rows``, the call of a module around it, -1 where there is none.
    """

    frames: Bools
    rows: Int64s
    path: Int32s
    paths: Sequence[str]
    above: Int64s
    enclosing: Int64s

    def text(self, path: int) -> str | None:
        """A path by index, None for -1."""
        return self.paths[path] if path >= 0 else None


def find_module_paths(trace: Trace, nesting: Nesting) -> ModulePaths:
    """All calls of modules of a trace."""
    called = trace.is_category(Category.PYTHON) & trace.names_where(frames.is_module_frame)
    rows = nesting.ordered(called)
    enclosing = nesting.nearest(rows, called)
    ids: dict[tuple[int, int], int] = {}
    paths: list[str] = []
    above: list[int] = []
    path = np.full(len(trace.events), NONE, np.int32)
    path_of: dict[int, int] = {NONE: NONE}
    for row, around, name in zip(
        rows.tolist(), enclosing.tolist(), trace.events.name[rows].tolist(), strict=True
    ):
        key = (path_of[around], name)
        if key not in ids:
            ids[key] = len(paths)
            own = frames.module_name(trace.names[name])
            paths.append(own if key[0] < 0 else f"{paths[key[0]]}/{own}")
            above.append(key[0])
        path_of[row] = ids[key]
    path[rows] = [path_of[row] for row in rows.tolist()]
    return ModulePaths(called, rows, path, tuple(paths), np.array(above, np.int64), enclosing)
