"""Rows by a small integer key, without one pass a key."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tb_plugin_explain.trace.model import Int64s


class Groups:
    """Positions of each key's elements, in their order; negative keys are left out.

    A key of which there is no element has none, also where it is ``count`` or larger.
    """

    def __init__(self, keys: Int64s, count: int) -> None:
        order = np.argsort(keys, kind="stable")
        self._bounds = np.searchsorted(keys[order], np.arange(count + 1))
        self._order = order.astype(np.int32)

    def __getitem__(self, key: int) -> Int64s:
        if key + 1 >= len(self._bounds):
            return np.zeros(0, np.int64)
        return self._order[self._bounds[key] : self._bounds[key + 1]].astype(np.int64)


_Integer = TypeVar("_Integer", bound=np.integer[Any])

# ``np.unique`` and ``np.median`` load ``numpy.ma``, which takes longer than what is asked for here.


def distinct(values: npt.NDArray[_Integer]) -> npt.NDArray[_Integer]:
    """Each value once, ascending. By sorting: for many different numbers faster than NumPy's table."""
    ordered = np.sort(values)
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def median_of(values: npt.NDArray[np.int64] | npt.NDArray[np.float64]) -> float:
    """The median; at least one value."""
    ordered, half = np.sort(values), len(values) // 2
    return float(ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2)
