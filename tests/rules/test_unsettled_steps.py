"""Steps that do not look like the run's steady state."""

from __future__ import annotations

import pytest

from tb_plugin_explain.rules.unsettled_steps import REASONS
from tests.rules.asking import ask, assert_not_measured, found, table
from tests.trace_drawing import draw


def test_a_long_first_step_is_a_cold_start() -> None:
    finding = found(
        "unsettled-steps",
        draw("""
        us  :0    5    10   15   20   25   30   35
        step:[1                 ][2   ][3   ][4   ]
    """),
    )
    assert finding.verdict == "expected"
    assert finding.title == "Step 1 has not settled"
    assert "Step 1: cold start" in finding.text
    assert "It is left out of all averages, which use steps 2–4." in finding.text
    assert finding.step == 1
    assert (finding.at_stake_us, finding.looks_like_us) == (0, 14)
    assert finding.pill == "long step 1"
    assert finding.advice.startswith("Do not judge the run by this step. A longer warm-up")
    assert table(finding) == [[1, 20, "cold start"]]


def test_several_steps_with_several_reasons() -> None:
    finding = found(
        "unsettled-steps",
        draw("""
        us      :0    5    10   15   20   25   30   35   40
        step    :[1        ][2        ][3   ][4   ][5   ]
        cpu     : [compile] [malloc   ]
        overhead:  [prof]    [load]
    """),
    )
    assert finding.title == "Steps 1 and 2 have not settled"
    assert "Step 1: torch.compile was compiling; the profiler was busy with its own buffers." in finding.text
    assert "Step 2: GPU code was loaded on first use." in finding.text
    assert "Steps 1 and 2: cold start" in finding.text
    assert "They are left out of all averages, which use steps 3–5." in finding.text
    assert finding.advice.startswith("Do not judge the run by these steps. ")


def test_warm_up_is_no_remedy_for_lost_events() -> None:
    finding = found(
        "unsettled-steps",
        draw(
            """
            us  :0    5    10   15   20   25
            step:[1     ][2     ][3     ]
            cpu :[a]     [b]     [c]
            s7  :  [a]     [b]
            """,
            names=dict.fromkeys("ab", "gemm"),
        ),
    )
    assert "Step 3: GPU events are missing" in finding.text
    assert finding.advice.endswith(
        "With one more step at the end of the recording, its kernels are in it too."
    )
    assert finding.pill is None
    assert finding.looks_like_us is None


def test_an_odd_step_in_mid_run_has_no_remedy() -> None:
    finding = found(
        "unsettled-steps",
        draw("""
        us  :0    5    10   15   20   25   30   35
        step:[1   ][2   ][3                 ][4   ]
    """),
    )
    assert "for no reason that the trace shows" in finding.text
    assert finding.advice == "Do not judge the run by this step."


def test_where_no_step_is_undisturbed_all_are_used() -> None:
    finding = found(
        "unsettled-steps",
        draw("""
        us  :0    5    10
        step:[1        ]
        cpu : [compile]
    """),
    )
    assert "As no step is undisturbed, averages use all of them" in finding.text
    assert finding.looks_like_us is None
    assert finding.pill is None


def test_quiet_where_all_steps_are_alike() -> None:
    assert (
        ask(
            "unsettled-steps",
            draw("""
        us  :0    5    10   15   20
        step:[1   ][2   ][3   ][4   ]
    """),
        )
        == []
    )


@pytest.mark.parametrize("picture", ["", "cpu :[op  ]"])
def test_not_measured_without_steps(picture: str) -> None:
    assert_not_measured("unsettled-steps", draw(picture), "no ProfilerStep")


def test_every_reason_has_words() -> None:
    assert set(REASONS) >= {"compiling", "recompile", "lazy_loading", "profiler_buffer", "cut_off"}
    assert all(text and not text.endswith(".") for text in REASONS.values())
