"""Kernels that graphs launched."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, figures, found
from tests.rules.gpu_steps import Work, kernels, steps_of
from tests.trace_drawing import draw


def test_graphs_explain_missing_operators() -> None:
    trace = steps_of([Work("g", 30, call="cudaGraphLaunch", events=5), Work("k", 50)])
    finding = found("graph-launches", trace)
    assert (finding.verdict, finding.at_stake_us) == ("expected", 0)
    assert finding.title == "4 graph launches for 20 kernels"
    assert "5 kernels (75.0 % of all kernel time) came from 1 graph launch." in finding.text
    assert figures(finding) == {"graph launches": 4, "kernels in graphs": 20, "their time": 600}


def test_quiet_without_graphs() -> None:
    assert ask("graph-launches", steps_of(kernels(10, 20))) == []


def test_not_measured_without_gpu_events() -> None:
    assert_not_measured("graph-launches", draw("us  :0\nstep:[1     ]\ncpu :[op ][a]"), "no GPU event")
