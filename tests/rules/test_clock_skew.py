"""Kernels that seem to start before their launch."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, figures, found
from tests.trace_drawing import draw


def test_one_early_kernel() -> None:
    finding = found(
        "clock-skew",
        draw("""
        us  :0    5    10   15
        step:[1             ]
        cpu :     [a]  [b]
        s7  :  [a   ]    [b]
    """),
    )
    assert finding.verdict == "artifact"
    assert finding.title == "1 GPU event seems to start before its launch"
    assert "at least 3.00 µs" in finding.text
    assert (finding.at_stake_us, finding.pill) == (0, None)
    assert figures(finding) == {"largest disagreement": 3, "GPU events": 1}


def test_several_early_kernels() -> None:
    finding = found(
        "clock-skew",
        draw("""
        us  :0    5    10   15
        step:[1             ]
        cpu :     [a]  [b]
        s7  :    [a ] [b]
    """),
    )
    assert finding.title == "2 GPU events seem to start before their launch"
    assert figures(finding)["largest disagreement"] == 1


def test_quiet_where_every_kernel_follows_its_launch() -> None:
    assert (
        ask(
            "clock-skew",
            draw("""
        us  :0    5    10
        step:[1        ]
        cpu :[a]
        s7  :[a   ]
    """),
        )
        == []
    )


def test_without_a_linked_kernel_there_is_nothing_to_compare() -> None:
    assert_not_measured(
        "clock-skew",
        draw("""
        us  :0    5    10
        step:[1        ]
        s7  :[?   ]
    """),
        "no GPU event has a launch",
    )
