"""A lane offset that stands because the CPU runs ahead of a busy GPU."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, figures, found, table
from tests.trace_drawing import draw

AHEAD = draw(
    """
    us  :0    5    10   15   20   25   30   35   40   45
    step:[1  ][2  ][3  ]
    cpu :[a]  [b]  [c]
    s7  : [a          ][b          ][c          ]
    """,
    us=10,
    names=dict.fromkeys("abc", "gemm"),
)


def test_a_queue_that_fills_is_healthy() -> None:
    finding = found("run-ahead", AHEAD)
    assert finding.verdict == "expected"
    assert finding.title == "The GPU lane trails by 170 µs because the CPU runs ahead"
    assert "At step 3 the GPU lane trails the CPU lane by 170 µs, 80.0 µs more each step." in finding.text
    assert "100 % of that is queueing" in finding.text
    assert (finding.at_stake_us, finding.looks_like_us) == (0, 170)
    assert (finding.pill, finding.step) == ("170 µs lane offset in step 3", 3)
    assert table(finding) == [[1, 10, 0, 90], [2, 90, 90, 170], [3, 170, 170, 250]]
    assert figures(finding) == {"growth a step": 80}


def test_without_steps_the_start_of_the_recording_is_named() -> None:
    finding = found(
        "run-ahead",
        draw(
            """
        us  :0    5    10   15   20   25   30
        cpu :   [a][op]
        s7  :[?             ][a          ]
    """,
            us=10,
        ),
    )
    assert finding.text.startswith("At the start of the recording the GPU lane trails")
    assert "more each step" not in finding.text


def test_quiet_where_the_gpu_is_not_kept_busy() -> None:
    assert (
        ask(
            "run-ahead",
            draw(
                """
        us  :0    5    10   15   20   25   30   35
        step:[1        ][2        ][3        ]
        cpu :[a]        [b]        [c]
        s7  :             [a]        [b]        [c]
    """,
                us=10,
            ),
        )
        == []
    )


def test_quiet_where_the_offset_is_short() -> None:
    assert (
        ask(
            "run-ahead",
            draw("""
        us  :0    5    10
        step:[1        ]
        cpu :[a]
        s7  : [a      ]
    """),
        )
        == []
    )


def test_not_measured_without_gpu_events() -> None:
    assert_not_measured(
        "run-ahead",
        draw("""
        us  :0    5    10
        step:[1        ]
        cpu :[a]
    """),
        "no GPU event",
    )


def test_quiet_where_what_held_the_queue_up_was_not_recorded() -> None:
    """The kernel queued behind a short copy; what kept the copy waiting is not in the file."""
    assert (
        ask(
            "run-ahead",
            draw(
                """
        us  :0    5    10   15   20   25   30   35   40
        cpu :[copy c][a]
        s7  :                        [c][a             ]
    """,
                us=10,
            ),
        )
        == []
    )
