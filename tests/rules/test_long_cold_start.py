"""A recording that is mostly warm-up."""

from __future__ import annotations

from tests.report.sections.test_drift import steps_of
from tests.rules.asking import ask, assert_not_measured, figures, found
from tests.trace_drawing import draw


def test_a_cold_step_that_outweighs_the_others() -> None:
    finding = found("long-cold-start", steps_of(9000, 1000, 1000, 1000, number=1))
    assert (finding.verdict, finding.at_stake_us, finding.looks_like_us) == ("expected", 0, 9100)
    assert finding.title == "73.4 % of the recorded time is warm-up"
    assert finding.text.startswith("Step 1, 9.10 ms of 12.4 ms, has not settled.")
    assert finding.text.endswith("Only steps 2–4 tell what the run is like.")
    assert figures(finding) == {"in unsettled steps": 9100, "in all steps": 12_400}


def test_quiet_where_the_settled_steps_outweigh_it() -> None:
    assert ask("long-cold-start", steps_of(2500, 1000, 1000, 1000)) == []


def test_quiet_where_a_later_step_is_the_odd_one() -> None:
    assert ask("long-cold-start", steps_of(1000, 1000, 9000, 1000)) == []


def test_not_measured_where_steps_cannot_be_judged() -> None:
    assert_not_measured("long-cold-start", steps_of(1000, 5000), "too few steps")
    assert_not_measured("long-cold-start", draw("cpu :[op ]"), "no ProfilerStep")
