"""Where in the one step something of the other step would stand: interpolated between known pairs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def longest_rising(values: Sequence[int]) -> list[int]:
    """Indices of a longest strictly rising subsequence."""
    tails: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for i, value in enumerate(values):
        place = bisect_left(tails, value)
        before.append(at[place - 1] if place else -1)
        if place == len(tails):
            tails.append(value)
            at.append(i)
        else:
            tails[place], at[place] = value, i
    path = []
    i = at[-1] if at else -1
    while i >= 0:
        path.append(i)
        i = before[i]
    return path[::-1]


class PositionMap:
    """Maps positions of the plain side to those of the fused side, rising; beyond the ends in step."""

    def __init__(self, pairs: Iterable[tuple[int, int]], plain_count: int, fused_count: int) -> None:
        ordered = sorted(pairs)
        kept = [ordered[i] for i in longest_rising([fused for _, fused in ordered])]
        self._plain = np.array([-1, *(p for p, _ in kept), plain_count], np.float64)
        self._fused = np.array([-1, *(f for _, f in kept), fused_count], np.float64)

    def to_fused(self, plain: Sequence[int]) -> Floats:
        """Where each position of the plain side would stand on the fused side."""
        return np.interp(np.asarray(plain, np.float64), self._plain, self._fused)

    def to_plain(self, fused: Sequence[int]) -> Floats:
        """Where each position of the fused side would stand on the plain side."""
        return np.interp(np.asarray(fused, np.float64), self._fused, self._plain)
