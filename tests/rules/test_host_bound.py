"""A GPU that waits for the CPU to hand out work."""

from __future__ import annotations

import pytest

from tb_plugin_explain.step_analyses import RunAnalyses
from tests.rules.asking import ask, assert_not_measured, figures, found, table, with_meta
from tests.simulate import Action, simulate
from tests.trace_drawing import draw

STARVED = draw(
    """
    us  :0    5    10   15   20   25   30   35   40   45
    step:[1             ][2             ][3             ]
    cpu :[op   ][a] [b]  [op   ][c] [d]  [op   ][e] [f]
    s7  :        [a] [b]         [c] [d]         [e] [f]
    """,
    us=10,
    names=dict.fromkeys("abcdef", "gemm"),
)


def test_small_launches_starve_the_gpu() -> None:
    finding = found("host-bound", STARVED)
    run = RunAnalyses(STARVED)
    assert run.bound is not None
    assert finding.verdict == "fix"
    assert finding.title == "The GPU waits for launches"
    assert finding.at_stake_us == run.bound.shares_ns["host"] / 1000
    assert finding.at_stake_us <= run.bound.lost_ns / 1000
    assert "A launch brings 30.0 µs of work" in finding.text
    assert "inside PyTorch operators" in finding.text
    assert finding.advice.startswith("Give the GPU more work a launch. ")
    assert finding.pill is None
    assert figures(finding)["GPU work per launch"] == 30


def test_what_the_cpu_did_is_named_with_its_remedy() -> None:
    finding = found(
        "host-bound",
        draw(
            """
        us  :0    5    10   15   20   25   30   35
        step:[1                                  ]
        cpu : [a]  [malloc             ][b][call]
        s7  :   [a]                      [b]
    """,
            us=10,
        ),
    )
    assert "allocating or freeing GPU memory" in finding.text
    assert finding.advice.startswith("Stop allocating in the loop. ")
    assert table(finding)[0] == ["allocating or freeing GPU memory", 210.0]


def test_nothing_is_named_where_the_lost_time_lies_outside_the_device_window() -> None:
    """The CPU span is long, but the trace shows only a little of what the GPU waited for."""
    finding = found(
        "host-bound",
        draw(
            """
        us  :0    5    10   15   20   25   30   35
        step:[1                                  ]
        cpu :[malloc][a]
        s7  :           [a]
    """,
            us=10,
        ),
    )
    assert "mostly" not in finding.text
    assert finding.advice.startswith("Launch less often. ")
    assert "The CPU launches 1 kernel in all." in finding.text


@pytest.mark.parametrize(
    ("modes", "words"),
    [
        ({"with_stack": True}, "Recording stacks slows"),
        ({"with_stack": True, "profile_memory": True}, "Recording stacks and memory slows"),
        ({}, ""),
    ],
)
def test_recording_that_slows_the_cpu_is_told(modes: dict[str, bool], words: str) -> None:
    text = found("host-bound", with_meta(STARVED, **modes)).text
    assert words in text
    assert bool(words) == ("slows" in text)


def test_a_gpu_that_is_busy_half_of_the_time_is_not_starved() -> None:
    finding = found(
        "host-bound",
        draw(
            """
        us  :0    5    10   15   20   25
        step:[1                         ]
        cpu :[a]           [op ][b]
        s7  : [a          ]       [b]
    """,
            us=10,
        ),
    )
    assert finding.title == "The GPU waits for the CPU between launches"


def test_quiet_where_the_gpu_is_busy() -> None:
    assert (
        ask(
            "host-bound",
            draw("""
        us  :0    5    10   15   20
        step:[1             ]
        cpu :[a][b]
        s7  : [a       ][b     ]
    """),
        )
        == []
    )


def test_not_measured_without_gpu_events() -> None:
    assert_not_measured(
        "host-bound",
        draw("""
        us  :0    5    10
        step:[1        ]
        cpu :[op ][a]
    """),
        "no GPU event",
    )


@pytest.mark.parametrize("work_us", [30, 200])
def test_no_more_is_at_stake_than_faster_launches_give_back(work_us: int) -> None:
    """Against the same machine with a CPU that needs no time."""
    step = [
        Action("step"),
        *[a for _ in range(4) for a in (Action("work", work_us), Action("launch", 5, 20))],
    ]
    slow = simulate([*step, *step, *step])
    fast = simulate([a._replace(us=0) for a in [*step, *step, *step]])
    saved = slow.kernels[-1].end_us - fast.kernels[-1].end_us
    at_stake = found("host-bound", slow.trace()).at_stake_us
    assert at_stake is not None
    assert 3 * at_stake <= saved + 3 * 4 * 4  # a launch latency of 4 a kernel is counted, and remains
