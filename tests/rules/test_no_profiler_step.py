"""A recording without ProfilerSteps."""

from __future__ import annotations

from tests.rules.asking import ask, found
from tests.trace_drawing import draw


def test_a_recording_without_steps() -> None:
    finding = found(
        "no-profiler-step",
        draw("""
        us  :0    5
        cpu :[a]
        s7  : [a]
    """),
    )
    assert finding.verdict == "undecided"
    assert finding.title == "The recording has no steps"
    assert "prof.step()" in finding.text
    assert finding.advice.startswith("Record with steps. Pass schedule=")
    assert finding.at_stake_us is None


def test_quiet_with_steps_and_in_an_empty_file() -> None:
    assert (
        ask(
            "no-profiler-step",
            draw("""
        us  :0    5
        step:[1   ]
        cpu :[a]
    """),
        )
        == []
    )
    assert ask("no-profiler-step", draw("")) == []
