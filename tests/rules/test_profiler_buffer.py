"""A lane offset that the profiler made by asking for its buffers."""

from __future__ import annotations

import pytest

from tb_plugin_explain.trace.model import Trace
from tests.rules.asking import ask, assert_not_measured, found, lanes, table
from tests.trace_drawing import draw

NAMES = dict.fromkeys("abc", "gemm")


def late_start(steps_behind: int) -> Trace:
    """The buffer of step 1 holds its kernel up, and those of the steps after it."""
    later = ["[2  ]", "[3  ]"][:steps_behind]
    launches = ["[b]  ", "[c]  "][:steps_behind]
    kernels = ["[b]", "[c]"][:steps_behind]
    return draw(
        f"""
        us      :0    5    10   15   20   25   30   35
        step    :[1  ]{"".join(later)}
        cpu     :[a]  {"".join(launches)}
        overhead: [prof            ]
        s7      :                   [a]{"".join(kernels)}
        """,
        us=10,
        names=NAMES,
    )


def test_the_profiler_held_up_the_first_kernel() -> None:
    finding = found("profiler-buffer", late_start(0))
    assert finding.verdict == "artifact"
    assert finding.title == "The GPU lane starts 190 µs late because of the profiler"
    assert "For 180 µs of that the profiler was at work (“Activity Buffer Request”)" in finding.text
    assert (finding.at_stake_us, finding.looks_like_us) == (0, 190)
    assert (finding.pill, finding.step) == ("190 µs lane offset in step 1", 1)
    assert table(finding) == [[1, 190, 180, 0]]
    assert lanes(finding)["Profiler"] == ["Activity Buffer Request"]
    assert "for the same reason" not in finding.text


@pytest.mark.parametrize(
    ("steps_behind", "words"), [(1, "Step 2 trails for the same"), (2, "Steps 2 and 3 trail for the same")]
)
def test_steps_behind_it_trail_for_the_same_reason(steps_behind: int, words: str) -> None:
    assert words in found("profiler-buffer", late_start(steps_behind)).text


def test_a_profiler_that_made_less_than_half_of_it_is_not_what_made_it() -> None:
    assert (
        ask(
            "profiler-buffer",
            draw(
                """
        us      :0    5    10   15   20
        step    :[1  ]
        cpu     :[a]
        overhead: [prof  ]
        s7      :                   [a]
    """,
                us=10,
            ),
        )
        == []
    )


def test_quiet_where_the_kernel_starts_at_once() -> None:
    assert (
        ask(
            "profiler-buffer",
            draw(
                """
        us      :0    5    10   15   20
        step    :[1  ]
        cpu     :[a]
        overhead:   [prof           ]
        s7      : [a]
    """,
                us=10,
            ),
        )
        == []
    )


def test_other_overhead_is_not_called_a_request_for_memory() -> None:
    text = found(
        "profiler-buffer",
        draw(
            """
        us      :0    5    10   15   20
        step    :[1  ]
        cpu     :[a]
        overhead: [prof            ]
        s7      :                   [a]
        """,
            us=10,
            names={"prof": "Buffer Flush"},
        ),
    ).text
    assert "(“Buffer Flush”)." in text
    assert "memory" not in text


def test_not_measured_without_gpu_events() -> None:
    assert_not_measured(
        "profiler-buffer",
        draw("""
        us      :0    5    10
        step    :[1        ]
        overhead: [prof  ]
    """),
        "no GPU event",
    )
