"""Copies inside the GPU's memory."""

from __future__ import annotations

import pytest

from tests.rules.asking import ask, assert_not_measured, figures, found
from tests.rules.gpu_steps import Work, steps_of
from tests.trace_drawing import draw


def works(copy_us: float) -> list[Work]:
    return [Work("Memcpy DtoD (Device -> Device)", copy_us, call="cudaMemcpyAsync"), Work("k", 900)]


def test_what_they_take_of_a_busy_gpu_can_be_won() -> None:
    finding = found("device-copies", steps_of(works(100)))
    assert finding.verdict == "fix"
    assert finding.at_stake_us == pytest.approx(100)
    assert finding.title == "Copies inside the GPU’s memory take 10.0 % of its time"
    assert figures(finding) == {"copies inside the GPU in a typical step": 1}


def test_undecided_where_the_gpu_does_not_set_the_pace() -> None:
    finding = found("device-copies", steps_of(works(100), idle_us=2000))
    assert (finding.verdict, finding.at_stake_us, finding.looks_like_us) == ("undecided", None, 100)


def test_quiet_where_they_are_short() -> None:
    assert ask("device-copies", steps_of(works(10))) == []
    assert ask("device-copies", steps_of(works(100), idle_us=20_000)) == []


def test_not_measured_without_gpu_events() -> None:
    assert_not_measured("device-copies", draw("us  :0\nstep:[1     ]\ncpu :[op ][a]"), "no GPU event")
