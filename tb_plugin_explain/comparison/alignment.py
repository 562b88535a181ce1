"""Gives events to generated kernels, both in order, so that each kernel finds the operators of its name.

A dynamic programme over windows: each kernel takes the events of one window that its name speaks of,
the windows follow each other like the kernels, and the sum of what the windows are worth is the
largest possible. A window is worth 1 for each operator of the name that it holds, and less than that
for each event, the less the further it stands from where the kernel would stand on that side.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tb_plugin_explain.comparison.positions import Floats
from tb_plugin_explain.trace.model import Bools, Int64s

# What an event is worth at most, and what distance takes of that at most: less than an operator and never
# all, so that finding every operator comes first. Otherwise free: from 0.2 to 0.8, from 0.1 to 0.49, and a
# quarter to four times _HALF_DISTANCE put 96.3 to 96.6 % of simulated time into the right group.
_EVENT = 0.5
_DISTANCE = 0.4
# At this distance, in events, half of the worth that distance can take is gone.
_HALF_DISTANCE = 20.0
# Cells of the table of choices (4 bytes each), and the fewest events that a kernel looks at.
_CELLS = 8_000_000
_NARROWEST = 512


def align(need: Sequence[Sequence[Bools]], expected: Floats, places: Int64s) -> list[Int64s]:
    """For each kernel the indices of its events, rising; each event is given once at most.

    need: for each kernel, for each operator of its name, whether each event is its work.
    expected: where each kernel would stand among the places of the events, rising.
    """
    bands = _bands(expected, places, len(need))
    best, reach = np.zeros(len(places) + 1), 0
    choices = []
    for operators, place, (low, high) in zip(need, expected, bands, strict=True):
        best[reach + 1 : high + 1] = best[reach]
        reach = high
        window = slice(low, high)
        worth = _worth(operators, window, float(place), places)
        best[low : high + 1], chosen = _extend(best[low : high + 1], operators, window, worth)
        choices.append(chosen)
    return _trace_back(need, bands, choices, len(places))


def _bands(expected: Floats, places: Int64s, kernels: int) -> list[tuple[int, int]]:
    """The range of events that each kernel looks at; both ends rise."""
    half = max(_NARROWEST, _CELLS // max(kernels, 1)) // 2
    centre = np.searchsorted(places, np.maximum.accumulate(expected)) if kernels else np.zeros(0, np.int64)
    low, high = np.maximum(centre - half, 0), np.minimum(centre + half, len(places))
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _worth(operators: Sequence[Bools], window: slice, place: float, places: Int64s) -> Floats:
    """What each event of the window is worth to the kernel, 0 if its name does not speak of it."""
    if not operators:
        return np.zeros(window.stop - window.start)
    distance = np.abs(places[window] - place)
    worth = _EVENT - _DISTANCE * distance / (distance + _HALF_DISTANCE)
    spoken: Bools = np.logical_or.reduce([row[window] for row in operators])
    return np.where(spoken, worth, 0.0)


def _extend(
    best: Floats, operators: Sequence[Bools], window: slice, worth: Floats
) -> tuple[Floats, npt.NDArray[np.int32]]:
    """The best sums with one kernel more, for each end of its window; and where that window begins.

    Ends and beginnings are counted from the start of the band. A window of the most worth that holds
    k of the operators begins at or before the k-th last of their last events.
    """
    total = np.concatenate(([0.0], np.cumsum(worth)))
    rest = best - total
    top = np.maximum.accumulate(rest)
    index = np.arange(len(best))
    begin = np.maximum.accumulate(np.where(rest == top, index, 0))
    result, chosen = top + total, begin.copy()
    latest = _latest(operators, window)
    for k in range(1, len(latest) + 1):
        at = latest[-k]
        real = np.maximum(at, 0)
        value = np.where(at >= 0, top[real] + total + k, -1.0)
        better = value > result
        result = np.where(better, value, result)
        chosen = np.where(better, begin[real], chosen)
    return result, chosen.astype(np.int32)


def _latest(operators: Sequence[Bools], window: slice) -> Int64s:
    """For each end of a window, the last event of each operator before it (-1: none), in rising order."""
    width = window.stop - window.start
    if not operators:
        return np.zeros((0, width + 1), np.int64)
    index = np.arange(width)
    last = np.full((len(operators), width + 1), -1, np.int64)
    for i, row in enumerate(operators):
        last[i, 1:] = np.maximum.accumulate(np.where(row[window], index, -1))
    last.sort(axis=0)
    return last


def _trace_back(
    need: Sequence[Sequence[Bools]],
    bands: Sequence[tuple[int, int]],
    choices: Sequence[npt.NDArray[np.int32]],
    end: int,
) -> list[Int64s]:
    """The events of each kernel, from the last kernel to the first."""
    given: list[Int64s] = []
    backwards = zip(reversed(need), reversed(bands), reversed(choices), strict=True)
    for operators, (low, high), chosen in backwards:
        end = min(end, high)
        begin = low + int(chosen[end - low]) if end >= low else end
        spoken = np.zeros(end - begin, np.bool_)
        for row in operators:
            spoken |= row[begin:end]
        given.append(begin + np.flatnonzero(spoken))
        end = begin
    return given[::-1]
