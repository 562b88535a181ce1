"""Explicit waits inside steps: what they cost is the refill bubble, never the wait."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin_explain.trace.model import Category, Trace
from tests.rules.asking import ask, assert_not_measured, figures, found, lanes, table
from tests.simulate import Action, simulate
from tests.trace_drawing import Row, draw, trace_of


def test_only_the_bubble_is_at_stake() -> None:
    finding = found(
        "waits-in-steps",
        draw("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a]  [sync         ][b]
        s7  :  [a             ]    [b        ]
    """),
    )
    # The GPU was done at 18, the wait returned at 20, the next kernel started at 22.
    assert finding.verdict == "fix"
    assert finding.title == "Waiting for the GPU lets it run dry for 4.00 µs"
    assert finding.at_stake_us == 4
    assert (finding.looks_like_us, finding.pill) == (None, None)
    assert "makes 1 call that waits for the GPU, 15.0 µs in all" in finding.text
    assert "86.7 % of that time the GPU was at work" in finding.text
    assert "Only this refill bubble can be won back, not the whole wait." in finding.text
    assert finding.advice.startswith("Synchronise less often. ")
    assert table(finding) == [["cudaDeviceSynchronize", None, 1, 15, 13, 4]]
    assert figures(finding) == {"waiting in this step": 15, "refill bubble in this step": 4}
    assert lanes(finding)["CPU calls"] == ["cudaDeviceSynchronize"]


def test_a_wait_after_which_nothing_was_launched_costs_nothing() -> None:
    finding = found(
        "waits-in-steps",
        draw(
            """
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a]  [sync             ]
        s7  :  [a                  ]
    """,
            us=1000,
        ),
    )
    assert finding.verdict == "expected"
    assert (finding.at_stake_us, finding.looks_like_us) == (0, 19_000)
    assert finding.pill == "19.0 ms of waiting"
    assert "never ran dry" in finding.text


def test_a_wait_for_an_idle_gpu_is_not_called_free() -> None:
    finding = found(
        "waits-in-steps",
        draw("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a]     [sync       ]   [b]
        s7  :  [a]                     [b  ]
    """),
    )
    assert finding.title == "13.0 µs of waiting never lets the GPU run dry"
    assert "The trace shows no GPU work meanwhile." in finding.text
    assert "0 %" not in finding.text
    assert "Nothing" not in finding.text


def test_calls_are_counted_in_words_that_agree() -> None:
    text = found(
        "waits-in-steps",
        draw("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a]  [sync    ][wait ] [b]
        s7  :  [a                ]    [b]
    """),
    ).text
    assert "makes 2 calls that wait for the GPU" in text


def test_a_bubble_below_one_percent_is_almost_nothing() -> None:
    step = [Action("launch", 1, 2000), Action("wait"), Action("launch", 1, 10)]
    finding = found("waits-in-steps", simulate([Action("step"), *step]).trace())
    assert finding.verdict == "expected"
    assert finding.title.endswith("of waiting costs almost nothing")
    assert finding.at_stake_us == 0
    assert figures(finding)["refill bubble in this step"] == 7
    assert finding.pill is not None


def test_quiet_where_waits_are_short() -> None:
    assert (
        ask(
            "waits-in-steps",
            draw("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a]  [b]  [op             ]
        s7  :  [a  ][b                   ]
    """),
        )
        == []
    )


def test_waits_in_steps_without_gpu_events_are_left_out() -> None:
    assert (
        ask(
            "waits-in-steps",
            draw("""
        us  :0    5    10   15   20   25   30   35   40
        step:[1          ][2          ][3           ]
        cpu :[compile][a] [sync  ][b]  [sync  ][c]
        s7  :           [a]
    """),
        )
        == []
    )


def test_not_measured_where_the_gpu_events_are_lost_or_nothing_is_there() -> None:
    assert_not_measured(
        "waits-in-steps",
        draw("""
        us  :0    5    10   15
        step:[1             ]
        cpu :[a] [sync     ]
    """),
        "no GPU event of these steps",
    )
    assert_not_measured("waits-in-steps", draw(""), "no events")


ACTIONS = st.lists(
    st.builds(
        Action, st.sampled_from(["launch", "launch", "wait", "work"]), st.integers(1, 60), st.integers(1, 200)
    ).map(lambda a: a._replace(us=0) if a.kind == "wait" else a),
    min_size=2,
    max_size=15,
)


@given(ACTIONS)
@settings(deadline=None)
def test_never_more_is_at_stake_than_the_run_without_waits_gives_back(chosen: list[Action]) -> None:
    actions = [Action("step"), Action("launch", 3, 10), *chosen, Action("launch", 3, 10)]
    slow = simulate(actions)
    fast = simulate([a for a in actions if a.kind != "wait"])
    saved = slow.kernels[-1].end_us - fast.kernels[-1].end_us
    for finding in ask("waits-in-steps", slow.trace()):
        assert finding.at_stake_us is not None
        assert finding.at_stake_us <= saved


def convolutions(operator: str) -> Trace:
    """Work, a wait for its event inside an operator, and work once more."""
    return draw(
        """
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a]  [op          ] [b]
        cpu :      [wait      ]
        s7  :  [a            ]     [b      ]
        """,
        names={"op": operator, "wait": "cudaEventSynchronize"},
    )


def test_waits_inside_convolutions_are_the_library_timing_its_algorithms() -> None:
    finding = found("waits-in-steps", convolutions("aten::cudnn_convolution"))
    assert finding.verdict == "fix"
    assert finding.advice.startswith("Keep the shapes of convolutions constant. ")
    assert not found("waits-in-steps", convolutions("aten::mm")).advice.startswith("Keep the shapes")


def test_bubbles_of_other_calls_at_the_same_place_are_not_in_the_table() -> None:
    """The copy lets the GPU run dry; the wait after it adds nothing."""
    rows = [
        Row(Category.ANNOTATION, "ProfilerStep#1", 0, 3000),
        Row(Category.CPU_OP, "aten::mm", 90, 80),
        Row(Category.RUNTIME, "cudaMemcpyAsync", 100, 30, correlation=1),
        Row(Category.MEMCPY, "Memcpy DtoH (Device -> Pageable)", 118, 2, correlation=1, device=0, stream="7"),
        Row(Category.RUNTIME, "cudaStreamSynchronize", 130, 6, correlation=2),
        Row(Category.RUNTIME, "cudaLaunchKernel", 180, 5, correlation=3),
        Row(Category.KERNEL, "k", 190, 50, correlation=3, device=0, stream="7"),
        Row(Category.RUNTIME, "cudaEventSynchronize", 200, 40, correlation=4),
    ]
    finding = found("waits-in-steps", trace_of(rows))
    assert (finding.verdict, finding.at_stake_us) == ("expected", 0)
    assert [row[3:] for row in table(finding)] == [[40.0, 40.0, 0.0], [6.0, 0.0, 0.0]]


def test_waits_of_several_threads_are_said_to_be_summed() -> None:
    text = found(
        "waits-in-steps",
        draw("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a]  [sync         ][b]
        cpu2:     [wait         ]
        s7  :  [a             ]    [b        ]
    """),
    ).text
    assert "in all, summed over 2 threads. " in text


def test_the_place_that_waits_by_name_is_named_and_the_table_holds_the_same_waits() -> None:
    """The long wait of ``aten::unbind`` is inside a copy, which another finding names."""
    gpu: dict[str, Any] = {"device": 0, "stream": "7"}
    rows = [
        Row(Category.ANNOTATION, "ProfilerStep#1", 0, 10_000),
        Row(Category.RUNTIME, "cudaLaunchKernel", 0, 5, correlation=1),
        Row(Category.KERNEL, "gemm", 6, 7000, correlation=1, **gpu),
        Row(Category.CPU_OP, "aten::unbind", 10, 7018),
        Row(Category.RUNTIME, "cudaMemcpyAsync", 12, 7000, correlation=2),
        Row(Category.MEMCPY, "Memcpy DtoH (Device -> Pageable)", 7007, 2, correlation=2, **gpu),
        Row(Category.RUNTIME, "cudaStreamSynchronize", 7020, 5),
        Row(Category.RUNTIME, "cudaLaunchKernel", 7030, 5, correlation=3),
        Row(Category.KERNEL, "gemm", 7040, 1000, correlation=3, **gpu),
        Row(Category.CPU_OP, "aten::to", 7045, 1010),
        Row(Category.RUNTIME, "cudaStreamSynchronize", 7050, 1000),
        Row(Category.RUNTIME, "cudaLaunchKernel", 8060, 5, correlation=4),
        Row(Category.KERNEL, "gemm", 8070, 1900, correlation=4, **gpu),
    ]
    finding = found("waits-in-steps", trace_of(rows))
    assert "The largest part is asked for by aten::to." in finding.text
    assert {row[0]: row[3] for row in table(finding)} == {"aten::to": 1000.0, "aten::unbind": 5.0}
    assert figures(finding)["waiting in this step"] == 1005.0
    assert sum(row[5] for row in table(finding)) == figures(finding)["refill bubble in this step"] == 30.0
