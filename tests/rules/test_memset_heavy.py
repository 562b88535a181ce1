"""Much filling of memory."""

from __future__ import annotations

import pytest

from tb_plugin_explain.trace.model import Category
from tests.rules.asking import ask, assert_not_measured, figures, found
from tests.rules.gpu_steps import Work, steps_of
from tests.trace_drawing import Row, draw


def works(set_us: float) -> list[Work]:
    return [Work("Memset (Device)", set_us, call="cudaMemsetAsync"), Work("k", 900)]


def test_what_it_takes_of_a_busy_gpu_can_be_won() -> None:
    finding = found("memset-heavy", steps_of(works(100)))
    assert finding.verdict == "fix"
    assert finding.at_stake_us == pytest.approx(100)
    assert finding.title == "Filling memory takes 10.0 % of the GPU’s time"
    assert figures(finding) == {"memsets in a typical step": 1}


def other_device(set_us: float) -> list[Row]:
    """A memset of device 1 in each step of ``steps_of(works(100))``."""
    rows = []
    for step in range(4):
        begin, correlation = 105.0 + 1005 * step, 100 + step
        rows += [
            Row(Category.RUNTIME, "cudaMemsetAsync", begin, 1, correlation=correlation),
            Row(Category.MEMSET, "Memset (Device)", begin + 10, set_us, correlation=correlation, device=1,
                stream="7"),
        ]  # fmt: skip
    return rows


def test_what_another_device_fills_is_not_promised() -> None:
    """It fills for longer, but the device that is judged has more work."""
    finding = found("memset-heavy", steps_of(works(100), beside=other_device(600)))
    assert (finding.verdict, finding.at_stake_us) == ("fix", 100)


def test_undecided_where_the_gpu_does_not_set_the_pace() -> None:
    finding = found("memset-heavy", steps_of(works(100), idle_us=2000))
    assert (finding.verdict, finding.at_stake_us, finding.looks_like_us) == ("undecided", None, 100)


def test_quiet_where_it_is_short() -> None:
    assert ask("memset-heavy", steps_of(works(10))) == []
    assert ask("memset-heavy", steps_of(works(100), idle_us=20_000)) == []


def test_not_measured_without_gpu_events() -> None:
    assert_not_measured("memset-heavy", draw("us  :0\nstep:[1     ]\ncpu :[op ][a]"), "no GPU event")
