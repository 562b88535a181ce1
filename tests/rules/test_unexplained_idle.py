"""Idle time of the GPU that the trace cannot explain."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, found, table, with_meta
from tests.trace_drawing import draw


def test_a_long_hole_after_the_launch_has_no_known_cause() -> None:
    finding = found(
        "unexplained-idle",
        draw(
            """
        us  :0    5    10   15   20   25   30
        step:[1                             ]
        cpu :[a][b]
        s7  :  [a]                    [b    ]
    """,
            us=10,
        ),
    )
    assert finding.verdict == "undecided"
    assert finding.title == "190 µs without work, and the trace cannot say why"
    assert finding.at_stake_us is None
    assert finding.looks_like_us == 190
    assert finding.pill is None
    assert table(finding) == [[1, 190, 320]]
    assert "nothing here tells which" in finding.text


def test_quiet_where_the_hole_is_the_cpus() -> None:
    assert (
        ask(
            "unexplained-idle",
            draw(
                """
        us  :0    5    10   15   20   25   30
        step:[1                             ]
        cpu :[a][op                 ][b]
        s7  :  [a]                    [b    ]
    """,
                us=10,
            ),
        )
        == []
    )


def test_not_measured_without_gpu_events() -> None:
    assert_not_measured(
        "unexplained-idle",
        draw("""
        us  :0    5    10
        step:[1        ]
        cpu :[a]
    """),
        "no GPU event",
    )


HOLES = """
    us  :0    5    10   15   20   25   30
    step:[1                             ]
    cpu :[a][b]
    s7  :  [a]                    [b    ]
"""


def test_ranks_and_steps_are_named_only_where_there_are_several() -> None:
    alone = draw(HOLES, us=10)
    assert found("unexplained-idle", alone).advice.startswith(
        "Record once more, with nothing else on the GPU. "
    )
    of_eight = found("unexplained-idle", with_meta(alone, world_size=8)).advice
    assert of_eight.startswith("Record once more and keep the files of all ranks. ")
