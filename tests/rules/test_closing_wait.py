"""The profiler's own wait at the end of the recording."""

from __future__ import annotations

from tests.rules.asking import ask, figures, found, lanes
from tests.trace_drawing import draw

WAITS = """
    us  :0    5    10   15   20   25
    step:[1        ]
    cpu : [a]         [sync     ]
    s7  :    [a          ]
"""


def test_the_last_wait_after_the_last_step_is_the_profilers() -> None:
    finding = found("closing-wait", draw(WAITS, us=100))
    assert finding.verdict == "artifact"
    assert finding.title == "The 1.10 ms wait at the end is the profiler’s own"
    assert "cudaDeviceSynchronize" in finding.text
    assert "200 µs after the end of step 1" in finding.text
    assert "finished 400 µs of work" in finding.text
    assert (finding.at_stake_us, finding.looks_like_us) == (0, 1100)
    assert finding.pill == "1.10 ms synchronise"
    assert figures(finding) == {
        "GPU busy meanwhile": 400,
        "profiler working meanwhile": 0,
        "GPU idle meanwhile": 700,
    }
    assert lanes(finding) == {
        "Steps": ["ProfilerStep#1"],
        "CPU calls": ["cudaDeviceSynchronize"],
        "GPU": ["kernel_a"],
    }


def test_a_short_one_alarms_nobody() -> None:
    assert ask("closing-wait", draw(WAITS, us=1)) == []


def test_a_wait_for_nothing_says_so() -> None:
    finding = found(
        "closing-wait",
        draw(
            """
        us  :0    5    10   15   20   25
        step:[1        ]
        cpu : [a]         [sync     ]
        s7  :    [a  ]
    """,
            us=100,
        ),
    )
    assert "The GPU had nothing left to do" in finding.text


def test_without_steps_the_frame_that_stops_the_profiler_shows_it() -> None:
    finding = found(
        "closing-wait",
        draw(
            """
        us  :0    5    10   15   20   25
        cpu : [a]  [py                 ]
        cpu :        [sync       ]
        s7  :    [a        ]
        """,
            us=100,
            names={"py": "torch/profiler/profiler.py(1): stop_trace"},
        ),
    )
    assert "as it stops" in finding.text


def test_quiet_where_the_last_wait_is_the_programs() -> None:
    assert (
        ask(
            "closing-wait",
            draw("""
        us  :0    5    10   15   20
        step:[1                ]
        cpu : [a]  [sync    ]
        s7  :    [a     ]
    """),
        )
        == []
    )
