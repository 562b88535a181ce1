"""Pairs two sequences of places in their order, so that what stands near goes together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tb_plugin_explain.comparison.positions import Floats

# Cells of the table of one block (8 bytes each); longer sequences are divided near their middle.
_CELLS = 2_000_000


def pair_in_order(one: Sequence[float] | Floats, other: Sequence[float] | Floats) -> list[tuple[int, int]]:
    """Indices that go together: each element of the shorter sequence, rising in both.

    The distances of the pairs sum to the least possible. Both sequences are places on one scale, rising.
    """
    first, second = np.asarray(one, np.float64), np.asarray(other, np.float64)
    if len(first) > len(second):
        return [(b, a) for a, b in pair_in_order(second, first)]
    if len(first) == len(second):
        return [(i, i) for i in range(len(first))]
    return list(enumerate(_places(first, second)))


def _places(short: Floats, long: Floats) -> list[int]:
    """For each element of the shorter sequence the index of its partner."""
    spare = len(long) - len(short)
    if not spare:
        return list(range(len(long)))
    if len(short) * (spare + 1) <= _CELLS or len(short) < 2:
        return _nearest(short, long, spare)
    middle = len(short) // 2
    cut = int(np.searchsorted(long, short[middle]))
    cut = min(max(cut, middle), middle + spare)
    left = _places(short[:middle], long[:cut])
    return left + [cut + i for i in _places(short[middle:], long[cut:])]


def _nearest(short: Floats, long: Floats, spare: int) -> list[int]:
    """By dynamic programming over how many elements of the longer sequence were left out so far."""
    width = spare + 1
    index = np.arange(width)
    cost = np.zeros(width)
    come_from = []
    for i, place in enumerate(short):
        best = np.minimum.accumulate(cost)
        come_from.append(np.maximum.accumulate(np.where(cost == best, index, 0)))
        cost = best + np.abs(long[i : i + width] - place)
    left_out = int(np.argmin(cost))
    places = []
    for i in range(len(short) - 1, -1, -1):
        places.append(i + left_out)
        left_out = int(come_from[i][left_out])
    return places[::-1]
