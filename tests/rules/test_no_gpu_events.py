"""A recording without GPU events where there should be some."""

from __future__ import annotations

from tests.rules.asking import ask, found, with_meta
from tests.trace_drawing import draw

LAUNCHES = draw("""
    us  :0    5    10
    step:[1        ]
    cpu :[a][b]
""")
OPERATORS = draw("""
    us  :0    5    10
    step:[1        ]
    cpu :[op    ]
""")


def test_launches_without_any_gpu_event() -> None:
    finding = found("no-gpu-events", LAUNCHES)
    assert finding.verdict == "undecided"
    assert finding.text.startswith("The CPU launched 2 kernels, and the file holds none of them.")
    assert finding.at_stake_us is None
    assert finding.evidence == ()
    assert finding.advice.startswith("Record the GPU too. ")


def test_a_file_that_does_not_say_that_there_was_no_device() -> None:
    assert found("no-gpu-events", OPERATORS).text.startswith("The file holds no kernel and no copy.")


def test_quiet_where_the_file_lists_no_device_or_a_gpu_event_is_there() -> None:
    assert ask("no-gpu-events", with_meta(OPERATORS, devices=())) == []
    assert (
        ask(
            "no-gpu-events",
            draw("""
        us  :0    5
        step:[1   ]
        cpu :[a]
        s7  : [a]
    """),
        )
        == []
    )
