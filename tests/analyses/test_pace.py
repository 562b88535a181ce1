"""What one step costs in the long run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tb_plugin_explain.analyses.device_window import DeviceWindow
from tb_plugin_explain.analyses.pace import find_pace_ns, following, preceding, step_period_ns
from tb_plugin_explain.trace.steps import ProfilerStep

NO_WINDOWS: list[list[DeviceWindow]] = [[] for _ in range(9)]


def steps_at(*edges: tuple[int, int], process: int = 0) -> list[ProfilerStep]:
    return [ProfilerStep(start, end, i, process, 0, i) for i, (start, end) in enumerate(edges)]


def windows(*lengths: int | None) -> list[list[DeviceWindow]]:
    """One device; the length of each step's window, None for the first (which is 500 long)."""
    work = np.zeros(0, np.int64)
    return [[DeviceWindow(0, 0, n or 500, n is None, work)] for n in lengths]


FOUR = steps_at((0, 90), (100, 180), (250, 340), (350, 420))


def pace_of(averaged: Sequence[int], of_device: list[list[DeviceWindow]] = NO_WINDOWS) -> float | None:
    return find_pace_ns(FOUR, of_device, averaged)


def test_a_period_is_the_distance_to_the_next_start() -> None:
    assert [step_period_ns(FOUR, i) for i in range(4)] == [100, 150, 100, None]


def test_steps_of_another_process_do_not_follow_or_precede() -> None:
    first, second, third = steps_at((0, 9), (5, 15), (10, 20))
    other = ProfilerStep(second.start_ns, second.end_ns, 1, 7, 3, 1)
    steps = [first, other, third]
    assert [following(steps, i) for i in range(3)] == [2, None, None]
    assert [preceding(steps, i) for i in range(3)] == [None, None, 0]


def test_the_pace_is_the_median_over_steps_whose_preceding_one_is_averaged_too() -> None:
    assert pace_of([0, 1, 2, 3]) == 100.0  # of 150, 100 and the last step's duration 70
    assert pace_of([1, 2, 3]) == 85.0  # of 100 and 70
    assert pace_of([1, 2]) == 100.0


def test_where_no_preceding_step_is_averaged_all_averaged_steps_count() -> None:
    assert pace_of([1, 3]) == 110.0  # of 150 and 70
    assert pace_of([0, 2]) == 100.0


def test_the_longest_of_host_and_device_periods_counts() -> None:
    assert pace_of([0, 1, 2, 3], windows(None, 160, 90, 300)) == 160.0


def test_the_window_of_the_first_step_has_no_period() -> None:
    assert pace_of([0], windows(None, 1, 1, 1)) == 100.0


def test_a_trace_of_one_step_has_no_pace() -> None:
    assert find_pace_ns(FOUR[:1], NO_WINDOWS, [0]) is None
    assert find_pace_ns([], [], []) is None
