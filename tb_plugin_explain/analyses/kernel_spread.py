"""How much a kernel's duration varies on one shape, within a step and from step to step.

docs/definitions/kernels.md, ``by_shape``. Kernels without a recorded shape have no spread.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from tb_plugin_explain.analyses.grouped import group
from tb_plugin_explain.trace.model import Int64s

# Of fewer launches, the 10th and the 90th percentile are the extremes.
FEWEST_LAUNCHES = 5
# Two steps differ in any case; a third says which of them is the odd one.
FEWEST_STEPS = 3

Floats = npt.NDArray[np.float64]


class Spreads(Struct, frozen=True, eq=False):
    """One element a pair of kernel and shape. NaN: none.

    slowest: index of the step with the largest mean, slowest_ns: that mean; where ``between`` is known.
    """

    within: Floats
    between: Floats
    slowest: Int64s
    slowest_ns: Floats


def _within(pair: Int64s, step: Int64s, duration_ns: Int64s, pairs: int, steps: int) -> Floats:
    grouped = group(pair * steps + step, duration_ns)
    known = (grouped.count >= FEWEST_LAUNCHES) & (grouped.median > 0)
    spread = (grouped.tenths(9) - grouped.tenths(1))[known] / grouped.median[known]
    typical = group(grouped.key[known] // steps, spread)
    # A median of 0 in one step leaves the spread of the pair open.
    open_pairs = grouped.key[(grouped.count >= FEWEST_LAUNCHES) & (grouped.median == 0)] // steps
    result = np.full(pairs, np.nan)
    result[typical.key] = typical.median
    result[open_pairs] = np.nan
    return result


def _step_means(pair: Int64s, step: Int64s, duration_ns: Int64s, steps: int) -> tuple[Int64s, Int64s, Floats]:
    """Pair, step and mean duration of every step in which a pair ran, by pair and step."""
    cells, of = np.unique(pair * steps + step, return_inverse=True)
    means = np.bincount(of, duration_ns, len(cells)) / np.bincount(of, minlength=len(cells))
    return cells // steps, cells % steps, means


def find_spreads(
    pair: Int64s, step: Int64s, duration_ns: Int64s, has_shape: npt.NDArray[np.bool_]
) -> Spreads:
    """``pair``, ``step``, ``duration_ns``: of each kernel; ``has_shape``: of each pair."""
    pairs, steps = len(has_shape), int(step.max(initial=0)) + 1
    within = _within(pair, step, duration_ns, pairs, steps)
    ran, in_step, means = _step_means(pair, step, duration_ns, steps)
    grouped = group(ran, means)
    known = (grouped.count >= FEWEST_STEPS) & (grouped.median > 0)
    between, slowest, slowest_ns = np.full(pairs, np.nan), np.zeros(pairs, np.int64), np.zeros(pairs)
    between[grouped.key[known]] = (grouped.largest - grouped.smallest)[known] / grouped.median[known]
    slowest_ns[grouped.key] = grouped.largest
    # Backwards, so that of equal means the first step's is written last.
    largest = np.flatnonzero(means == slowest_ns[ran])[::-1]
    slowest[ran[largest]] = in_step[largest]
    within[~has_shape] = between[~has_shape] = np.nan
    return Spreads(within, between, slowest, slowest_ns)
