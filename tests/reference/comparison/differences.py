"""`deltas` and `by_step` of two sides, in the units of the JSON."""

from __future__ import annotations

from fractions import Fraction
from itertools import zip_longest
from typing import Any

from ..settled import median
from .side import Side, StepFigures
from .spread import LEAST_FOR_BOOTSTRAP, bootstrap_bounds, smallest_and_largest

METRICS = (
    "pace_us",
    "step_us",
    "period_us",
    "cpu_busy_us",
    "gpu_busy_us",
    "gpu_idle_us",
    "sync_us",
    "implicit_sync_us",
    "bubble_us",
    "launches",
    "kernels",
    "copies",
    "copy_bytes",
    "first_us",
    "compile_tax_us",
    "peak_memory_bytes",
)


def in_unit(metric: str, value: Fraction | int) -> float:
    return float(Fraction(value) / 1000) if metric.endswith("_us") else float(value)


def values_of(side: Side, metric: str) -> list[Fraction]:
    found = (step.values[metric] for step in side.compared)
    return [Fraction(value) for value in found if value is not None]


def middle(side: Side, metric: str) -> Fraction | None:
    """The median; of the pace the run's own."""
    if metric == "pace_us":
        return side.pace
    values = values_of(side, metric)
    return median(values) if values else None


def deltas(baseline: Side, candidate: Side) -> dict[str, dict[str, Any]]:
    return {metric: delta(baseline, candidate, metric) for metric in METRICS}


def delta(baseline: Side, candidate: Side, metric: str) -> dict[str, Any]:
    """`interval`: exact with few steps; `bounds`: where the two ends of a drawn one must lie."""
    a, b = middle(baseline, metric), middle(candidate, metric)
    known = a is not None and b is not None
    found: dict[str, Any] = {
        "baseline": None if a is None else in_unit(metric, a),
        "candidate": None if b is None else in_unit(metric, b),
        "difference": in_unit(metric, b - a) if a is not None and b is not None else None,
        "interval": None,
        "bounds": None,
    }
    left, right = values_of(baseline, metric), values_of(candidate, metric)
    if baseline.has_steps != candidate.has_steps:
        return found | {"difference": None}
    if not known or min(len(left), len(right)) < 2:
        return found
    if min(len(left), len(right)) < LEAST_FOR_BOOTSTRAP:
        low, high = smallest_and_largest(left, right)
        return found | {"interval": [in_unit(metric, low), in_unit(metric, high)]}
    bounds = bootstrap_bounds(left, right)
    return found | {"bounds": [[in_unit(metric, value) for value in end] for end in bounds]}


def by_step(baseline: Side, candidate: Side) -> list[dict[str, Any]]:
    """The steps of both sides in order of recording, the first with the first."""
    return [
        {
            "baseline": None if a is None else a.number,
            "candidate": None if b is None else b.number,
            "deltas": {metric: step_delta(a, b, metric) for metric in METRICS},
        }
        for a, b in zip_longest(baseline.steps, candidate.steps)
    ]


def step_delta(a: StepFigures | None, b: StepFigures | None, metric: str) -> dict[str, float | None]:
    one = None if a is None else a.values[metric]
    other = None if b is None else b.values[metric]
    return {
        "baseline": None if one is None else in_unit(metric, one),
        "candidate": None if other is None else in_unit(metric, other),
        "difference": None if one is None or other is None else in_unit(metric, other - one),
    }
