"""Steps that take longer and longer."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tb_plugin_explain.trace.reader import read_trace
from tests.report.sections.test_drift import steps_of
from tests.rules.asking import ask, assert_not_measured, figures, found, table
from tests.trace_drawing import draw

GROWING = [1000 + 15 * i for i in range(8)]


def test_steps_that_grow_are_named_with_what_grows() -> None:
    finding = found("steps-slow-down", steps_of(*GROWING))
    assert (finding.verdict, finding.at_stake_us) == ("undecided", None)
    assert finding.title == "Steps slow down, from 1.11 ms to 1.20 ms"
    assert "Over 8 steps a step comes to take 105 µs longer, more than the 15.0 µs" in finding.text
    assert "The GPU’s work per step grows (by 105 µs) and the CPU takes longer for a step (by 105 µs)." in (
        finding.text
    )
    assert finding.looks_like_us == 105
    assert figures(finding) == {"longer by, each step": 15, "spread from step to step": 15}
    assert table(finding)[0] == [4, 1100, 1000, None]


def test_quiet_where_steps_get_faster_or_stay() -> None:
    assert ask("steps-slow-down", steps_of(*reversed(GROWING))) == []
    assert ask("steps-slow-down", steps_of(*([1000] * 8))) == []


def test_quiet_where_the_change_is_small() -> None:
    assert ask("steps-slow-down", steps_of(*(1000 + i for i in range(8)))) == []


def test_not_measured_with_few_steps_or_none() -> None:
    assert_not_measured("steps-slow-down", steps_of(1000, 1100, 1200), "fewer than 6 steps")
    assert_not_measured("steps-slow-down", draw("cpu :[op ]"), "no ProfilerStep")


@pytest.mark.torch
@pytest.mark.parametrize(("longer_s", "expected"), [(0.006, 1), (-0.006, 0)])
def test_a_real_run_that_slows_down_is_named_and_one_that_gets_faster_is_not(
    tmp_path: Path, longer_s: float, expected: int
) -> None:
    """The differences are far above what a busy machine adds to a sleep."""
    profiler = pytest.importorskip("torch", reason="records with a real torch.profiler").profiler
    file = tmp_path / "recorded.pt.trace.json"
    with profiler.profile(
        activities=[profiler.ProfilerActivity.CPU],
        schedule=profiler.schedule(wait=0, warmup=1, active=10, repeat=1),
        on_trace_ready=lambda p: p.export_chrome_trace(str(file)),
    ) as recorded:
        for step in range(11):
            time.sleep(0.1 + longer_s * step)
            recorded.step()
    findings = ask("steps-slow-down", read_trace(file))
    assert len(findings) == expected
    assert all("The CPU takes longer for a step" in finding.text for finding in findings)
