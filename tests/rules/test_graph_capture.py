"""Launches that a graph captures."""

from __future__ import annotations

from tb_plugin_explain.report import explain
from tests.rules.asking import ask, assert_not_measured, figures, found
from tests.trace_drawing import draw

CAPTURE = draw(
    """
    us  :0    5    10   15   20   25   30   35
    step:[1                                  ]
    cpu :[a][hipStreamBeginCapture][b][c][d][e]
    cpu :                                      [hipStreamEndCapture]
    s7  :   [a]
"""
)


def test_captured_launches_are_told_and_nothing_is_made_of_the_idle_gpu() -> None:
    finding = found("graph-capture", CAPTURE)
    assert (finding.verdict, finding.at_stake_us) == ("undecided", None)
    assert "4 of 5 kernel launches fall into the capture of a graph" in finding.text
    assert figures(finding) == {"captured launches": 4, "kernel launches": 5}
    for rule in ("host-bound", "implicit-waits", "unexplained-idle"):
        assert_not_measured(rule, CAPTURE, "being captured")


def test_the_headline_says_so_and_points_to_a_better_recording() -> None:
    headline = explain(CAPTURE).headline
    assert "went into a graph that was being captured" in headline.detail
    assert headline.first is not None
    assert headline.first.rule == "graph-capture"


def test_the_step_is_not_said_to_miss_its_kernels() -> None:
    finding = found("unsettled-steps", CAPTURE)
    assert "its launches went into a graph that was being captured" in finding.text
    assert finding.advice == "Do not judge the run by this step."


def test_quiet_where_few_launches_are_captured() -> None:
    assert (
        ask(
            "graph-capture",
            draw("""
        us  :0    5    10   15   20   25   30   35   40   45   50
        step:[1                                                  ]
        cpu :[a][b][c][hipStreamBeginCapture][d][hipStreamEndCapture]
        s7  :   [a][b][c]
    """),
        )
        == []
    )


def test_not_measured_without_launches() -> None:
    assert_not_measured("graph-capture", draw("us  :0\nstep:[1     ]\ncpu :[op ]"), "launch no kernel")
