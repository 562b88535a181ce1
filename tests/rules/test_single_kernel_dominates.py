"""One kernel that takes most of the GPU's time."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, figures, found
from tests.rules.gpu_steps import Work, kernels, steps_of
from tests.trace_drawing import draw


def test_a_kernel_with_most_of_the_time_is_named() -> None:
    finding = found("single-kernel-dominates", steps_of(kernels(600, 100, 100, 100, 100)))
    assert (finding.verdict, finding.at_stake_us) == ("expected", 0)
    assert finding.title == "One kernel takes 60.0 % of the GPU’s time"
    assert finding.text.startswith("k0 ran 1 time a step for 600 µs in all")
    assert figures(finding) == {"its share": 60.0}


def test_quiet_where_none_dominates() -> None:
    assert ask("single-kernel-dominates", steps_of(kernels(400, 200, 200, 100, 100))) == []


def test_quiet_where_few_kernels_ran_or_the_gpu_waits() -> None:
    assert ask("single-kernel-dominates", steps_of(kernels(600, 100, 100, 100))) == []
    assert ask("single-kernel-dominates", steps_of(kernels(600, 100, 100, 100, 100), idle_us=2000)) == []


def test_quiet_about_communication() -> None:
    works = [Work("ncclDevKernel_AllReduce", 600), *kernels(100, 100, 100, 100)]
    assert ask("single-kernel-dominates", steps_of(works)) == []


def test_not_measured_without_gpu_events() -> None:
    trace = draw("us  :0\nstep:[1     ]\ncpu :[op ][a]")
    assert_not_measured("single-kernel-dominates", trace, "no GPU event")
