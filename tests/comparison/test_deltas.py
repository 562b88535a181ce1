"""Intervals: by hand for few steps, by properties for many."""

from __future__ import annotations

import tracemalloc
from statistics import median

import numpy as np
import pytest

from tb_plugin_explain.comparison.deltas import (
    DRAWS,
    FEWEST_TO_BOOTSTRAP,
    exactly,
    find_deltas,
    interval,
    make_delta,
)
from tb_plugin_explain.comparison.metrics import METRICS
from tests.comparison.sides import drawn_pair

BY_ID = {metric.id: metric for metric in METRICS}
STEP = BY_ID["step_us"]
FEW = ([1302.0, 641.0, 641.0, 641.0], [1279.0, 618.0, 618.0, 618.0])
ON_CPU = """
    step:[1    ]
    cpu :[op ]
"""
PAIR = drawn_pair(ON_CPU, ON_CPU)
# Step 3 compiles: step 4 follows none that is compared, and its own kernel is short.
UNEVEN = """
    step:[1           ][2           ][3           ][4           ][5           ]
    cpu :[a]           [b]           [compile][c]  [d]           [e]
    s7  : [a ]          [b ]                   [c ]  [d ]          [e ]
"""
EVEN = """
    step:[1 ][2 ][3 ]
    cpu :[f] [g] [h]
    s7  : [f    ][g    ][h    ]
"""


def test_few_steps_give_the_smallest_and_the_largest_pairwise_difference() -> None:
    assert interval(*FEW) == (-684.0, 638.0)


def test_one_step_on_a_side_gives_no_interval_and_no_noise() -> None:
    delta = make_delta(PAIR, STEP, 5.0, 3.0, interval([5.0], [3.0, 4.0]))
    assert (delta.interval, delta.within_noise, delta.difference) == (None, None, -2.0)


def test_a_limit_of_zero_is_within_noise() -> None:
    assert make_delta(PAIR, STEP, 5.0, 6.0, (0.0, 2.0)).within_noise is True
    assert make_delta(PAIR, STEP, 5.0, 6.0, (0.5, 2.0)).within_noise is False


def test_differences_hold_nothing_that_floats_add() -> None:
    assert make_delta(PAIR, STEP, 0.3, 0.1).difference == -0.2
    assert interval([0.3, 0.3], [0.1, 0.1]) == (-0.2, -0.2)


def test_a_side_that_does_not_tell_is_named_with_the_reason() -> None:
    delta = make_delta(PAIR, STEP, None, 3.0)
    assert delta.difference is None
    assert delta.not_measured == f"baseline: {STEP.missing}"


def test_figures_of_the_gpu_are_missing_where_there_is_no_gpu_event() -> None:
    delta = make_delta(PAIR, BY_ID["copy_bytes"], None, None)
    assert delta.not_measured == "baseline and candidate: the trace has no GPU event"


def test_the_interval_holds_the_difference_of_the_runs_own_paces() -> None:
    for delta in find_deltas(drawn_pair(UNEVEN, EVEN, dict.fromkeys("abcdefgh", "kernel"))):
        if delta.interval is not None and delta.difference is not None:
            assert delta.interval[0] <= delta.difference <= delta.interval[1], delta.metric


def test_equal_steps_on_both_sides_differ_by_exactly_nothing() -> None:
    assert interval([7.5] * 6, [7.5] * 9) == (0.0, 0.0)


@pytest.mark.parametrize("size", [FEWEST_TO_BOOTSTRAP, 40])
def test_exchanging_the_sides_negates_the_interval_exactly(size: int) -> None:
    draw = np.random.default_rng(7)
    one, other = draw.normal(100, 5, size).tolist(), draw.normal(103, 9, size + 2).tolist()
    forth, back = interval(one, other), interval(other, one)
    assert forth is not None
    assert back is not None
    assert forth == (-back[1], -back[0])
    assert interval(other[::-1], one) == back


def test_the_bootstrap_covers_the_true_difference_about_as_often_as_it_says() -> None:
    """Of 95 % intervals of the median of ten steps, nearly all hold the true difference."""
    draw, held = np.random.default_rng(1), 0
    for _ in range(100):
        one, other = draw.normal(100, 3, 10), draw.normal(104, 3, 10)
        found = interval(one.tolist(), other.tolist())
        assert found is not None
        held += found[0] <= 4 <= found[1]
    assert held >= 90


def test_the_bootstrap_is_the_percentiles_of_differences_of_medians() -> None:
    """The same, slowly and in plain Python with other draws: the limits agree within the drawing."""
    draw = np.random.default_rng(3)
    one, other = draw.normal(100, 5, 12).tolist(), draw.normal(90, 5, 9).tolist()
    drawn = sorted(
        median(draw.choice(other, len(other)).tolist()) - median(draw.choice(one, len(one)).tolist())
        for _ in range(4000)
    )
    found = interval(one, other)
    assert found is not None
    assert found[0] == pytest.approx(drawn[100], abs=0.6)
    assert found[1] == pytest.approx(drawn[3900], abs=0.6)


def test_the_draws_are_those_of_one_generator_one_after_the_other() -> None:
    """However many are drawn at once: all of 5 steps, and of 1,100 steps a number that is no divisor."""
    for size in (5, 1_100):
        values = np.random.default_rng(2).normal(100, 5, (2, size)).round(3)
        one, other = sorted(np.sort(values, axis=1).tolist())
        draw = np.random.default_rng(0)
        medians = [
            np.array([np.median(np.asarray(side)[draw.integers(0, size, size)]) for _ in range(DRAWS)])
            for side in (one, other)
        ]
        limits = np.percentile(medians[1] - medians[0], (2.5, 97.5))
        assert interval(one, other) == tuple(exactly(float(limit)) for limit in limits)


def test_memory_does_not_grow_with_the_steps() -> None:
    values = np.random.default_rng(4).normal(100, 5, (2, 4_000)).tolist()
    tracemalloc.start()
    assert interval(*values) is not None
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50e6
