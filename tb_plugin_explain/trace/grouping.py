"""Rows by a small integer key, without one pass a key; distinct values."""

from __future__ import annotations

import numpy as np

from tb_plugin_explain.trace.model import Int64s, RowNumbers


def distinct(values: Int64s) -> Int64s:
    """Each value once, in order. numpy.unique hashes them, which takes far longer of nearly sorted ones."""
    ordered = np.sort(values, kind="stable")
    return ordered[np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))]


class Groups:
    """Positions of each key's elements, in their order; negative keys are left out.

    A key of which there is no element has none, also where it is ``count`` or larger.
    """

    def __init__(self, keys: RowNumbers, count: int) -> None:
        self._order = np.argsort(keys, kind="stable").astype(np.int32)
        self._bounds = np.searchsorted(keys[self._order], np.arange(count + 1))

    def __getitem__(self, key: int) -> RowNumbers:
        if key + 1 >= len(self._bounds):
            return self._order[:0]
        return self._order[self._bounds[key] : self._bounds[key + 1]]
