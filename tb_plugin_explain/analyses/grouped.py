"""Order statistics of many groups at once."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from tb_plugin_explain.trace.model import Int64s

Numbers = npt.NDArray[np.int64] | npt.NDArray[np.float64]


class Grouped(Struct, frozen=True, eq=False, dict=True):
    """Values sorted within their groups. ``key``: the groups' keys, ascending; one element a group."""

    key: Int64s
    count: Int64s
    _first: Int64s
    _values: Numbers

    def rank(self, index: Int64s) -> Numbers:
        """The value at an index of each group, the smallest at 0."""
        values: Numbers = self._values[self._first + index]
        return values

    @cached_property
    def smallest(self) -> Numbers:
        return self.rank(np.zeros_like(self.count))

    @cached_property
    def largest(self) -> Numbers:
        return self.rank(self.count - 1)

    @cached_property
    def median(self) -> npt.NDArray[np.float64]:
        """The mean of the middle two."""
        middle = self.rank((self.count - 1) // 2) + self.rank(self.count // 2)
        return np.asarray(middle / 2, np.float64)

    @cached_property
    def total(self) -> Numbers:
        """The sum of each group."""
        if not len(self.key):
            return self._values
        return np.asarray(np.add.reduceat(self._values, self._first))

    def tenths(self, tenths: int) -> Numbers:
        """The ⌈n·tenths/10⌉-th smallest of each group."""
        return self.rank(-(-self.count * tenths // 10) - 1)


def group(keys: Int64s, values: Numbers) -> Grouped:
    """Groups values by key."""
    order = np.lexsort((values, keys))
    found, first, count = np.unique(keys[order], return_index=True, return_counts=True)
    return Grouped(found, count.astype(np.int64), first.astype(np.int64), values[order])
