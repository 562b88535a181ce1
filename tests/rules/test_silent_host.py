"""Gaps during which the trace shows nothing at all of the CPU."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, figures, found, table, with_meta
from tests.trace_drawing import draw

SILENT = draw(
    """
    us  :0    5    10   15   20   25   30
    step:[1                              ]
    cpu :[a]             [b]
    s7  :   [a]             [b        ]
    """,
    us=200,
)


def test_a_hole_has_no_cause_until_a_recording_shows_it() -> None:
    finding = found("silent-host", SILENT)
    assert (finding.verdict, finding.at_stake_us, finding.looks_like_us) == ("undecided", None, 2000)
    assert finding.title == "2.00 ms in which neither CPU nor GPU shows anything"
    assert "no operator, call or annotation runs on the CPU (1 gap of a millisecond and more)" in finding.text
    assert "Python code leaves no events unless stacks are recorded" in finding.text
    assert finding.advice.startswith("Record once more with stacks. ")
    assert table(finding) == [[1, 2000]]
    assert figures(finding) == {"without any event in this step": 2000}


def test_where_stacks_were_recorded_it_was_not_python() -> None:
    finding = found("silent-host", with_meta(SILENT, with_stack=True))
    assert "no operator, call, annotation or Python function runs" in finding.text
    assert finding.advice.startswith("Record once more with a system profiler. ")


def test_quiet_where_anything_of_the_cpu_is_recorded() -> None:
    busy = """
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a]             [b]
        cpu2:    [op            ]
        s7  :   [a]             [b        ]
    """
    assert ask("silent-host", draw(busy, us=200)) == []


def test_quiet_where_holes_are_short() -> None:
    short = """
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a]             [b]
        s7  :   [a]             [b        ]
    """
    assert ask("silent-host", draw(short, us=50)) == []


def test_not_measured_without_gpu_events() -> None:
    assert_not_measured("silent-host", draw("cpu :[op ]"), "no GPU event")
