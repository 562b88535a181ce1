"""The verdict on what bounds a step."""

from __future__ import annotations

import pytest

from tb_plugin_explain.analyses.bound import Bound, DeviceFigures, judge, medians

CAUSES = ("profiler", "sync_bubble", "input", "host", "dependency", "launch", "unknown")


def figures(
    window: float = 100,
    communication: float = 0,
    copies: float = 0,
    busy: float | None = None,
    **causes: float,
) -> DeviceFigures:
    by_cause = dict.fromkeys(CAUSES, 0.0) | causes
    idle = sum(by_cause.values())
    return DeviceFigures(
        window - idle if busy is None else busy, window, idle, communication, copies, by_cause
    )


def verdict(pace: float = 100, **parts: float) -> str:
    return judge(figures(**parts), pace).verdict


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        ("sync_bubble", "sync_bound"),
        ("input", "input_bound"),
        ("host", "host_bound"),
        ("launch", "host_bound"),
        ("unknown", "undecided"),
        ("dependency", "undecided"),
    ],
)
def test_the_largest_share_of_the_lost_time_names_the_verdict(cause: str, expected: str) -> None:
    assert verdict(**{cause: 40.0}) == expected


def test_up_to_a_fifth_lost_the_device_sets_the_pace() -> None:
    assert verdict(host=20) == "compute_bound"
    assert verdict(host=21) == "host_bound"


def test_host_and_launch_count_together() -> None:
    assert verdict(sync_bubble=25, host=20, launch=20) == "host_bound"
    assert verdict(sync_bubble=25, unknown=20, dependency=20) == "undecided"


def test_the_two_largest_within_a_tenth_of_the_pace_are_both_named() -> None:
    near = judge(figures(sync_bubble=30, input=20), 100)
    assert (near.verdict, near.named) == ("undecided", ("sync", "input"))
    clear = judge(figures(sync_bubble=30, input=19), 100)
    assert (clear.verdict, clear.named) == ("sync_bound", ("sync",))


def test_exposed_communication_of_half_the_pace_comes_first() -> None:
    assert verdict(communication=50, host=40) == "communication_bound"
    assert verdict(communication=49, host=40) == "host_bound"


def test_copies_that_are_half_of_the_busy_time_bind_a_busy_device() -> None:
    assert verdict(copies=50, busy=100) == "copy_bound"
    assert verdict(copies=49, busy=100) == "compute_bound"
    assert verdict(copies=60, busy=100, host=40) == "host_bound"


def test_a_window_shorter_than_the_pace_is_lost_to_the_host() -> None:
    result = judge(figures(window=60, sync_bubble=10), 100)
    assert (result.lost_ns, result.shares_ns["host"], result.verdict) == (50, 40, "host_bound")


def test_a_window_longer_than_the_pace_loses_nothing() -> None:
    assert judge(figures(window=150, host=10), 100).lost_ns == 10


def test_time_of_the_profiler_is_neither_lost_nor_part_of_the_pace() -> None:
    result = judge(figures(profiler=50, host=11), 100)
    assert (result.base_ns, result.lost_ns, result.verdict) == (50, 11, "host_bound")
    assert verdict(profiler=50, communication=25) == "communication_bound"
    assert verdict(profiler=50, host=20, input=15) == "undecided"


def test_medians_are_taken_of_each_figure_separately() -> None:
    steps = [figures(window=100, host=10), figures(window=300, host=30), figures(window=200, input=50)]
    middle = medians(steps)
    assert (middle.window_ns, middle.idle_ns) == (200, 30)
    assert (middle.by_cause["host"], middle.by_cause["input"]) == (10, 0)


def test_of_an_even_number_the_median_is_the_mean_of_the_middle_two() -> None:
    assert medians([figures(host=10), figures(host=20)]).by_cause["host"] == 15


def shares(bound: Bound) -> dict[str, float]:
    return {str(name): value for name, value in bound.shares_ns.items()}


def test_the_shares_make_up_the_lost_time() -> None:
    bound = judge(
        figures(window=90, profiler=3, sync_bubble=5, input=7, host=11, dependency=13, launch=17), 100
    )
    assert shares(bound) == {"sync": 5, "input": 7, "host": 11 + 17 + 10, "open": 13}
    assert sum(shares(bound).values()) == bound.lost_ns
