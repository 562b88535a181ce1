"""Medians of both sides, and between which limits their difference lies.

docs/definitions/comparison.md, "deltas". Exchanging the sides negates every difference and interval.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from tb_plugin_explain.comparison.metrics import METRICS, Metric, middle, values
from tb_plugin_explain.comparison.pair import Pair
from tb_plugin_explain.comparison_schema import Delta

FEWEST_TO_BOOTSTRAP = 5
FEWEST_FOR_AN_INTERVAL = 2
DRAWS = 10_000
_LIMITS_PERCENT = (2.5, 97.5)
# Values drawn at once: 8 MB of indices, as much of values and of their copy in order.
_AT_ONCE = 1_000_000

_TWO_UNITS = "one side is a step, the other a whole recording"
_NO_STEP = "this side has no further step"
# Of microseconds; a median lies between two nanoseconds, a percentile between two draws.
_DIGITS = 6

Floats = npt.NDArray[np.float64]


def _medians_of_draws(sample: Floats, draw: np.random.Generator) -> Floats:
    """Medians of draws with replacement. The numbers drawn do not depend on how many are drawn at once."""
    size = len(sample)
    rows = max(_AT_ONCE // size, 1)
    parts = [
        np.median(sample[draw.integers(0, size, (min(rows, DRAWS - done), size))], axis=1)
        for done in range(0, DRAWS, rows)
    ]
    return np.concatenate(parts)


def _bootstrap(low: Floats, high: Floats) -> tuple[float, float]:
    draw = np.random.default_rng(0)
    first = _medians_of_draws(low, draw)
    limits = np.percentile(_medians_of_draws(high, draw) - first, _LIMITS_PERCENT)
    return exactly(float(limits[0])), exactly(float(limits[1]))


def exactly(difference: float) -> float:
    """A difference without what floats add to it: times are whole nanoseconds or halves of them."""
    return round(difference, _DIGITS) + 0.0


def interval(baseline: Sequence[float], candidate: Sequence[float]) -> tuple[float, float] | None:
    """Between which limits the difference of the medians lies; None with too few values."""
    if min(len(baseline), len(candidate)) < FEWEST_FOR_AN_INTERVAL:
        return None
    if min(len(baseline), len(candidate)) < FEWEST_TO_BOOTSTRAP:
        return exactly(min(candidate) - max(baseline)), exactly(max(candidate) - min(baseline))
    if all(value == baseline[0] for value in (*baseline, *candidate)):
        return 0.0, 0.0
    # Always drawn in the same order, so that exchanging the sides exchanges the limits exactly.
    if tuple(sorted(baseline)) <= tuple(sorted(candidate)):
        return _bootstrap(np.sort(baseline), np.sort(candidate))
    lowest, highest = _bootstrap(np.sort(candidate), np.sort(baseline))
    return exactly(-highest), exactly(-lowest)


def _missing(pair: Pair, metric: Metric, found: Sequence[float | None], ended: Sequence[bool]) -> str | None:
    """Which sides do not tell the metric, and why; ended: whether each has no step left to pair."""
    sides: dict[str, list[str]] = {}
    for side, value, none_left in zip(pair.sides, found, ended, strict=True):
        if value is None:
            reason = _NO_STEP if none_left else metric.reason(side.has_gpu_work)
            sides.setdefault(reason, []).append(side.name)
    return "; ".join(f"{' and '.join(names)}: {reason}" for reason, names in sides.items()) or None


def make_delta(
    pair: Pair,
    metric: Metric,
    baseline: float | None,
    candidate: float | None,
    limits: tuple[float, float] | None = None,
    ended: Sequence[bool] = (False, False),
) -> Delta:
    """One metric of both sides and what lies between; ended: whether a side has no step left to pair."""
    return Delta(
        metric=metric.id,
        unit=metric.unit,
        baseline=baseline,
        candidate=candidate,
        difference=None if baseline is None or candidate is None else exactly(candidate - baseline),
        interval=limits,
        within_noise=None if limits is None else limits[0] <= 0 <= limits[1],
        not_measured=_missing(pair, metric, (baseline, candidate), ended),
    )


def _not_of_one_unit(delta: Delta) -> Delta:
    """A figure of a step beside one of a whole recording has no difference."""
    reason = delta.not_measured or _TWO_UNITS
    return replace(delta, difference=None, interval=None, within_noise=None, not_measured=reason)


def _limits(
    pair: Pair, metric: Metric, baseline: float | None, candidate: float | None
) -> tuple[float, float] | None:
    """The interval, which holds the difference itself.

    Of the pace it could lie outside: the run's own pace leaves out steps that the spread counts.
    """
    found = interval(values(pair.baseline, metric), values(pair.candidate, metric))
    if found is None or baseline is None or candidate is None:
        return found
    difference = exactly(candidate - baseline)
    return min(found[0], difference), max(found[1], difference)


def find_deltas(pair: Pair) -> Sequence[Delta]:
    """The differences of all metrics between the compared steps."""
    deltas = []
    for metric in METRICS:
        old, new = middle(pair.baseline, metric), middle(pair.candidate, metric)
        deltas.append(make_delta(pair, metric, old, new, _limits(pair, metric, old, new)))
    return deltas if pair.have_one_unit else [_not_of_one_unit(delta) for delta in deltas]
