"""How steps change over the recording: trends that exceed the spread from step to step.

docs/definitions/drift.md. Theil and Sen's slope, Mann and Kendall's test: both rest on ranks and medians,
so that a few odd steps move neither.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from tb_plugin_explain.analyses.settled import Settled
from tb_plugin_explain.trace.grouping import median_of
from tb_plugin_explain.trace.steps import ProfilerStep

# Chance orders five values perfectly once in sixty times; six, once in 360.
MIN_STEPS = 6
# All pairs of more values than this take longer than they tell.
MAX_VALUES = 500
# Two-sided 1 % point of the normal distribution.
MIN_Z = 2.576

Floats = npt.NDArray[np.float64]


class Trend(Struct, frozen=True):
    """The trend of one figure over ``known`` steps; all None where these are too few.

    first_ns, last_ns: medians of the first and last third. slope_ns: a step. change_ns: over all steps.
    spread_ns: from step to step. drifts: whether the change exceeds spread and chance.
    """

    known: int
    first_ns: float | None = None
    last_ns: float | None = None
    slope_ns: float | None = None
    change_ns: float | None = None
    spread_ns: float | None = None
    drifts: bool | None = None


class ColdStart(Struct, frozen=True):
    """How much of the recorded steps had not settled; ``share`` None where no step can be judged."""

    unsettled_ns: int
    recorded_ns: int
    share: float | None


def find_cold_start(steps: Sequence[ProfilerStep], settled: Sequence[Settled]) -> ColdStart:
    """``settled``: the judgement of each step."""
    recorded = sum(s.duration_ns for s in steps)
    unsettled = sum(
        s.duration_ns for s, judged in zip(steps, settled, strict=True) if judged.settled is False
    )
    known = recorded > 0 and any(judged.settled is not None for judged in settled)
    return ColdStart(unsettled, recorded, unsettled / recorded if known else None)


def _pairs(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Differences of all pairs in order, of x and of y."""
    i, j = np.triu_indices(len(x), k=1)
    return x[j] - x[i], y[j] - y[i]


def _is_ordered(differences: Floats, values: int) -> bool:
    """Whether so many pairs rise, or fall, that chance does not explain it."""
    score = int((differences > 0).sum()) - int((differences < 0).sum())
    deviation = math.sqrt(values * (values - 1) * (2 * values + 5) / 18)
    return max(abs(score) - 1, 0) >= MIN_Z * deviation


def find_trend(numbers: Sequence[int], values_ns: Sequence[float | None]) -> Trend:
    """``numbers``: of the steps, in order; ``values_ns``: the figure of each, None where unknown."""
    known = [(n, v) for n, v in zip(numbers, values_ns, strict=True) if v is not None]
    if len(known) < MIN_STEPS:
        return Trend(len(known))
    x, y = (np.array(column, np.float64) for column in zip(*known, strict=True))
    third = len(y) // 3
    used = np.arange(len(y)) if len(y) <= MAX_VALUES else np.arange(MAX_VALUES) * len(y) // MAX_VALUES
    steps, rises = _pairs(x[used], y[used])
    slope = median_of(rises[steps != 0] / steps[steps != 0]) if (steps != 0).any() else 0.0
    change = slope * float(x[-1] - x[0])
    spread = median_of(np.abs(np.diff(y)))
    return Trend(
        known=len(y),
        first_ns=median_of(y[:third]),
        last_ns=median_of(y[-third:]),
        slope_ns=slope,
        change_ns=change,
        spread_ns=spread,
        drifts=bool(abs(change) > spread and _is_ordered(rises, len(used))),
    )
