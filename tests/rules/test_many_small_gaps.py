"""Idle time that is the sum of many short gaps between queued kernels."""

from __future__ import annotations

from tb_plugin_explain.trace.model import Category, Trace
from tests.rules.asking import ask, assert_not_measured, figures, found
from tests.trace_drawing import Row, draw, trace_of


def queued(kernels: int, kernel_us: int, gap_us: float) -> Trace:
    """Kernels that are all launched at once, at first, and run with the same gap between them."""
    rows = [Row(Category.ANNOTATION, "ProfilerStep#1", 0, kernels * (kernel_us + gap_us) + 200)]
    for i in range(kernels):
        start = 200 + i * (kernel_us + gap_us)
        rows.append(Row(Category.RUNTIME, "cudaLaunchKernel", i, 0.5, correlation=i + 1))
        rows.append(Row(Category.KERNEL, "k", start, kernel_us, correlation=i + 1, device=0, stream="7"))
    return trace_of(rows)


def test_a_few_percent_are_what_kernels_cost() -> None:
    finding = found("many-small-gaps", queued(200, 30, 2))
    assert (finding.verdict, finding.at_stake_us, finding.looks_like_us) == ("expected", 0, 398)
    assert finding.title == "199 short gaps between queued kernels add up to 398 µs"
    assert "2.00 µs each time" in finding.text
    assert finding.pill == "199 short gaps"
    assert figures(finding) == {"short gaps in this step": 199, "their time": 398}


def test_a_tenth_of_the_step_is_worth_fewer_kernels_and_promised_elsewhere() -> None:
    finding = found("many-small-gaps", queued(200, 4, 2))
    assert (finding.verdict, finding.at_stake_us, finding.pill) == ("fix", None, None)
    assert finding.advice.startswith("Make fewer and larger kernels. ")


def test_quiet_where_gaps_are_few_short_or_long() -> None:
    assert ask("many-small-gaps", queued(40, 30, 2)) == []
    assert ask("many-small-gaps", queued(200, 200, 2)) == []
    assert ask("many-small-gaps", queued(200, 30, 11)) == []


def test_quiet_where_the_next_kernel_is_not_launched_yet() -> None:
    rows = [Row(Category.ANNOTATION, "ProfilerStep#1", 0, 2000)]
    for i in range(200):
        rows.append(Row(Category.RUNTIME, "cudaLaunchKernel", 10 * i + 4, 4, correlation=i + 1))
        rows.append(Row(Category.KERNEL, "k", 10 * i + 8, 4, correlation=i + 1, device=0, stream="7"))
    assert ask("many-small-gaps", trace_of(rows)) == []


def test_not_measured_without_launches() -> None:
    assert_not_measured("many-small-gaps", draw("cpu :[op ]"), "no GPU event")
    assert_not_measured("many-small-gaps", draw("s7  :[?  ]"), "has a launch")
