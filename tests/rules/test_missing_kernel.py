"""Launches whose kernels are not in the file."""

from __future__ import annotations

import pytest

from tb_plugin_explain.findings import NotMeasured
from tests.rules.asking import ask, figures, found
from tests.trace_drawing import draw


def test_a_launch_without_a_kernel() -> None:
    finding = found(
        "missing-kernel",
        draw("""
        us  :0    5    10   15
        step:[1             ]
        cpu :[a] [b] [c]
        s7  :  [a ] [b ]
    """),
    )
    assert finding.verdict == "undecided"
    assert finding.title == "1 launch has no kernel in this file"
    assert "Of 3 kernel launches in steps, 1 owns no GPU event" in finding.text
    assert finding.at_stake_us is None
    assert finding.pill is None
    assert figures(finding) == {"launches without a kernel": 1}


def test_several_launches_without_a_kernel() -> None:
    finding = found(
        "missing-kernel",
        draw("""
        us  :0    5    10   15
        step:[1             ]
        cpu :[a] [b] [c]
        s7  :  [a ]
    """),
    )
    assert finding.title == "2 launches have no kernel in this file"
    assert "2 own no GPU event" in finding.text


def test_quiet_where_every_launch_has_its_kernel() -> None:
    assert (
        ask(
            "missing-kernel",
            draw("""
        us  :0    5    10
        step:[1        ]
        cpu :[a]
        s7  :  [a ]
    """),
        )
        == []
    )


def test_a_file_without_any_gpu_event_cannot_tell() -> None:
    trace = draw("""
        us  :0    5    10
        step:[1        ]
        cpu :[a]
    """)
    with pytest.raises(NotMeasured, match="no GPU event"):
        ask("missing-kernel", trace)
