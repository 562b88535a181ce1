"""A GPU that waits for the CPU to hand out work."""

from __future__ import annotations

import pytest

from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category
from tests.rules.asking import ask, assert_not_measured, figures, found, table, with_meta
from tests.simulate import Action, simulate
from tests.trace_drawing import Row, draw, trace_of

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
    assert finding.advice.startswith("Find out what the CPU does meanwhile. ")
    assert "The CPU launches 1 kernel in all." in finding.text


def test_one_kernel_is_no_loop_that_launching_could_hold_up() -> None:
    finding = found(
        "host-bound",
        draw(
            """
        us  :0    5    10   15   20   25   30   35
        step:[1                                  ]
        cpu :                        [a]
        s7  :                         [a]
    """,
            us=10,
        ),
    )
    assert finding.verdict == "undecided"
    assert finding.title == "The GPU has one kernel to run, and none for 340 µs"
    assert (finding.at_stake_us, finding.looks_like_us) == (None, 340)
    assert finding.advice.startswith("Find out what runs between launches. with_stack=True")


def test_a_start_up_without_steps_is_not_told_to_launch_less() -> None:
    finding = found(
        "host-bound",
        draw(
            """
        us  :0    5    10   15   20   25   30   35
        cpu :[a] [malloc             ][b] [c]
        s7  : [a]                      [b] [c]
    """,
            us=10,
        ),
    )
    assert finding.advice.startswith("Record steps after a warm-up first. ")
    assert finding.title == "The GPU waits for the CPU between launches"


def test_first_launches_are_no_time_to_win() -> None:
    trace = trace_of(
        [
            Row(Category.ANNOTATION, "ProfilerStep#1", 0, 20_000),
            *(
                row
                for i, (at, call) in enumerate([(10, 5), (1000, 5), (2000, 9000), (14_000, 5), (19_000, 5)])
                for row in (
                    Row(Category.RUNTIME, "cudaLaunchKernel", at, call, correlation=i + 1),
                    Row(
                        Category.KERNEL,
                        "add" if call > 5 else "gemm",
                        at + call + 2,
                        50,
                        correlation=i + 1,
                        device=0,
                        stream="7",
                    ),
                )
            ),
        ]
    )
    bound = RunAnalyses(trace).bound
    assert bound is not None
    finding = found("host-bound", trace)
    assert finding.at_stake_us == bound.shares_ns["host"] / 1000 - 9000
    assert "9.00 ms of this idle time passed in first launches, which a run pays once" in finding.text


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


def test_operators_that_fill_the_steps_are_launching_even_where_the_gpu_shows_no_gap() -> None:
    finding = found(
        "host-bound",
        draw(
            """
        us  :0    5    10   15   20   25   30   35
        step:[1         ][2         ][3         ]
        cpu :[op     ][a][op     ][b][op     ][c]
        s7  :                                    [a][b][c]
    """,
            us=10,
            names=dict.fromkeys("abc", "gemm"),
        ),
    )
    assert "mostly" not in finding.text
    assert finding.advice.startswith("Launch less often. ")


def test_launching_is_named_where_it_makes_most_of_what_the_cpu_did() -> None:
    """Time between launch and start is no doing of the CPU's, so it does not count against a name."""
    finding = found(
        "host-bound",
        draw(
            """
        us  :0    5    10   15   20   25   30   35   40   45   50
        step:[1                                                  ]
        cpu :[a]  [op  ][b]        [op  ][c]        [op  ][d]
        s7  :   [a]            [b]              [c]           [d]
    """,
            us=10,
            names=dict.fromkeys("abcd", "gemm"),
        ),
    )
    assert finding.advice.startswith(("Launch less often. ", "Give the GPU more work a launch. "))
