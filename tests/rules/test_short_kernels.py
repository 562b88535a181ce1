"""Kernels that are shorter than the calls that launch them."""

from __future__ import annotations

from tests.rules.asking import ask, assert_not_measured, figures, found, table
from tests.rules.gpu_steps import Work, steps_of
from tests.trace_drawing import draw

SHORT = [Work("add", 2, call_us=6)] * 30
LONG = [Work("gemm", 50, call_us=6)] * 10


def test_short_kernels_that_starve_the_gpu_are_undecided() -> None:
    finding = found("short-kernels", steps_of(SHORT))
    assert (finding.verdict, finding.at_stake_us) == ("undecided", None)
    assert finding.title == "100 % of the kernels are shorter than their launch"
    assert figures(finding) == {"short kernels in a typical step": 30}
    assert "30 kernels took 60.0 µs on the GPU, and the calls that launched them 180 µs" in finding.text


def test_short_kernels_behind_long_ones_are_expected() -> None:
    finding = found("short-kernels", steps_of([Work("gemm", 2000), *SHORT]))
    assert finding.verdict == "expected"
    assert finding.advice == "Leave them alone until the GPU runs dry."


def test_quiet_where_most_kernels_are_long() -> None:
    assert ask("short-kernels", steps_of([*SHORT[:9], *LONG])) == []


def test_quiet_where_calls_were_held_up() -> None:
    """A call of 100 µs is no usual launch: it loads code, or the queue is full."""
    assert ask("short-kernels", steps_of([Work("gemm", 50, call_us=100)] * 30)) == []


def test_not_measured_without_launches_of_their_own() -> None:
    graph = [Work("k", 2, call="cudaGraphLaunch", events=40)]
    assert_not_measured("short-kernels", steps_of(graph), "launch of its own")
    assert_not_measured("short-kernels", draw("us  :0\nstep:[1     ]\ncpu :[op ][a]"), "no GPU event")


def test_the_table_leaves_out_calls_that_were_held_up() -> None:
    """Its rows say of each name what the sentence says of all."""
    finding = found("short-kernels", steps_of([Work("add", 2, call_us=2000), *SHORT]))
    assert table(finding) == [["add", 120, 240, 720]]
