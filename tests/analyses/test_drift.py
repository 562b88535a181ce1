"""Trends over steps, as docs/definitions/drift.md has them."""

from __future__ import annotations

import numpy as np
import pytest

from tb_plugin_explain.analyses.drift import MAX_VALUES, Trend, find_cold_start, find_trend
from tb_plugin_explain.analyses.settled import Settled
from tb_plugin_explain.trace.steps import ProfilerStep


def trend(*values: float | None) -> Trend:
    return find_trend(range(len(values)), values)


def test_a_straight_line() -> None:
    found = trend(100, 110, 120, 130, 140, 150)
    assert (found.first_ns, found.last_ns, found.slope_ns, found.change_ns) == (105, 145, 10, 50)
    assert (found.known, found.spread_ns, found.drifts) == (6, 10, True)


def test_five_values_are_too_few() -> None:
    assert trend(1, 2, 3, 4, 5) == Trend(5)
    assert trend(1, 2, None, 3, 4, 5) == Trend(5)


def test_one_odd_step_moves_nothing() -> None:
    found = trend(100, 100, 900, 100, 100, 100, 100)
    assert (found.slope_ns, found.change_ns, found.drifts) == (0, 0, False)


def test_six_steps_of_which_one_is_out_of_order_may_be_chance() -> None:
    # S = 13, Z = 12 / 5.32 = 2.25.
    assert trend(100, 110, 130, 120, 140, 150).drifts is False
    # With seven S = 19, Z = 18 / 6.66 = 2.70.
    assert trend(100, 110, 130, 120, 140, 150, 160).drifts is True


def test_a_change_within_the_spread_is_no_drift() -> None:
    # Ordered but for pairs of neighbours, which differ by more than the whole trend.
    values = [100 + i + (60 if i % 2 else 0) for i in range(40)]
    found = trend(*values)
    assert found.spread_ns is not None
    assert found.spread_ns > abs(found.change_ns or 0)
    assert found.drifts is False


def test_a_fall_drifts_too() -> None:
    found = trend(60, 50, 40, 30, 20, 10)
    assert (found.change_ns, found.drifts) == (-50, True)


def test_missing_numbers_count_as_steps() -> None:
    found = find_trend([0, 2, 4, 6, 8, 10], [0, 20, 40, 60, 80, 100])
    assert (found.slope_ns, found.change_ns) == (10, 100)


def test_thirds_of_eight_values_hold_two_each() -> None:
    found = trend(1, 3, 0, 0, 0, 0, 10, 14)
    assert (found.first_ns, found.last_ns) == (2, 12)


def test_many_values_are_thinned_for_pairs_only() -> None:
    values = np.arange(3 * MAX_VALUES, dtype=float).tolist()
    found = trend(*values)
    assert (found.known, found.slope_ns, found.change_ns) == (1500, 1, 1499)


def steps(*durations: int) -> list[ProfilerStep]:
    return [ProfilerStep(0, duration, i, 0, 0, i) for i, duration in enumerate(durations)]


@pytest.mark.parametrize(
    ("judged", "share"),
    [
        ([False, True, True], 0.5),
        ([True, True, True], 0.0),
        ([None, None, None], None),
        ([False, None, None], 0.5),
        ([False, False, False], 1.0),
    ],
)
def test_the_share_of_steps_that_have_not_settled(judged: list[bool | None], share: float | None) -> None:
    found = find_cold_start(steps(200, 100, 100), [Settled(j, ()) for j in judged])
    assert (found.recorded_ns, found.share) == (400, share)


def test_steps_without_length_have_no_share() -> None:
    assert find_cold_start(steps(0), [Settled(True, ())]).share is None
