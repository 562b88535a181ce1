"""The reference of comparisons against figures worked out by hand, and its spread against every draw."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path
from statistics import median

import pytest

from tests.reference.comparison import by_step, deltas, side_of, verdict
from tests.reference.comparison.spread import bootstrap_bounds, medians_of_draws

CASES = Path(__file__).parents[1] / "samples" / "cases"
TUTORIAL = CASES / "T02-tutorial-4096-pair"
EAGER = TUTORIAL / "eager" / "worker0.1780012800000000000.pt.trace.json"
COMPILED = TUTORIAL / "compiled" / "worker0.1780012900000000000.pt.trace.json"


def test_the_tutorials_pair_as_published() -> None:
    a, b = side_of(EAGER), side_of(COMPILED)
    found = deltas(a, b)
    busy, step, pace = found["gpu_busy_us"], found["step_us"], found["pace_us"]
    assert (busy["baseline"], busy["candidate"], busy["interval"]) == (641.0, 618.0, [-684.0, 638.0])
    assert (step["baseline"], step["candidate"], step["interval"]) == (70.0, 100.0, [30.0, 30.0])
    assert (pace["baseline"], pace["candidate"], pace["interval"]) == (644.5, 621.5, [-680.5, 634.5])
    assert found["copy_bytes"]["candidate"] == 33554432
    assert verdict(a, b, pace) == "within_noise"


def test_the_compile_tax_of_the_tutorial() -> None:
    """A lookup of 12 µs, a prologue of 4, and of the region's 76 what prologue (4) and graph (60) leave."""
    compiled = side_of(COMPILED).compiled
    assert compiled is not None
    assert compiled["tax"] == {"lookup_us": 12_000, "prologue_us": 4_000, "wrapper_us": 12_000}
    assert side_of(EAGER).compiled is None


def test_a_step_that_compiles_again_is_left_out_and_shown() -> None:
    case = CASES / "B54-diff-recompile-inside-a-step"
    a = side_of(case / "eager.1700000000001.pt.trace.json")
    b = side_of(case / "compiled.1700000000002.pt.trace.json")
    assert b.compiled is not None
    assert (b.compiled["recompiled_steps"], b.compiled["compile_us"]) == ([3], 900_000_000)
    assert [s.number for s in b.compared] == [1, 2, 4]
    third = by_step(a, b)[2]["deltas"]
    assert third["step_us"] == {"baseline": 600.0, "candidate": 901_000.0, "difference": 900_400.0}


@pytest.mark.parametrize(
    "values", [[1, 2, 3, 4, 5], [3, 3, 1, 9, 9], [1, 2, 4, 8, 16, 32], [5, 5, 5, 1, 2, 2]]
)
def test_the_distribution_of_medians_is_that_of_every_draw(values: list[int]) -> None:
    counted: dict[Fraction, int] = {}
    for draw in product(values, repeat=len(values)):
        middle = Fraction(median(draw))
        counted[middle] = counted.get(middle, 0) + 1
    found = dict(medians_of_draws([Fraction(v) for v in values]))
    assert set(found) == set(counted)
    for middle, count in counted.items():
        assert found[middle] == pytest.approx(count / len(values) ** len(values))


def test_the_bounds_of_a_drawn_interval() -> None:
    """Of runs without spread all draws agree; of others the bounds lie within the pairwise differences."""
    one, five, six = Fraction(1), [Fraction(5)] * 5, [Fraction(6)] * 5
    assert bootstrap_bounds(five, six) == ((one, one), (one, one))
    spread = [Fraction(v) for v in (1, 2, 3, 4, 5, 6, 7)]
    (low, high), (lower, higher) = bootstrap_bounds(spread, spread)
    assert -6 <= low <= high < 0 < lower <= higher <= 6
    assert (low, high) == (-higher, -lower)
