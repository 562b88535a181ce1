"""The first launch of a kernel, which loads its code."""

from __future__ import annotations

from tb_plugin_explain.trace.model import Category, Trace
from tests.rules.asking import ask, assert_not_measured, found, table
from tests.trace_drawing import Row, draw, trace_of


def launches(*calls: tuple[str, int], more: tuple[Row, ...] = ()) -> Trace:
    """Steps of one launch each: the kernel's name, and how many µs the call takes."""
    rows, at = list(more), 1000
    for i, (kernel, call) in enumerate(calls):
        rows += [
            Row(Category.ANNOTATION, f"ProfilerStep#{i + 1}", at, call + 100),
            Row(Category.RUNTIME, "cudaLaunchKernel", at + 10, call, correlation=i + 1),
            Row(Category.KERNEL, kernel, at + call + 12, 50, correlation=i + 1, device=0, stream="7"),
        ]
        at += call + 200
    return trace_of(rows)


def test_the_first_launch_of_a_kernel_is_expected_to_be_long() -> None:
    finding = found("first-launch", launches(("gemm", 25_000), ("gemm", 5), ("gemm", 5)))
    assert (finding.verdict, finding.step) == ("expected", 1)
    assert (finding.at_stake_us, finding.looks_like_us) == (0, 25_000)
    assert finding.title == "A first launch takes 25.0 ms"
    assert "lasts 25.0 ms where such a call usually takes 5.00 µs" in finding.text
    assert finding.text.endswith("That it is this, and not another first use, the trace does not show.")
    assert finding.pill == "25.0 ms in first launches"
    assert table(finding) == [[1, "cudaLaunchKernel", "gemm", 25_000, 5]]


def test_loading_that_was_recorded_is_the_proof() -> None:
    load = Row(Category.OVERHEAD, "Runtime Triggered Module Loading", 2000, 9000, "overhead", "0")
    finding = found("first-launch", launches(("gemm", 25_000), ("gemm", 5), more=(load,)))
    assert finding.text.endswith("For 9.00 ms of that time the trace shows GPU code being loaded.")


def test_several_kernels_are_summed() -> None:
    finding = found("first-launch", launches(("gemm", 9000), ("add", 3000), *(("gemm", 5),) * 6))
    assert finding.title == "2 first launches take 12.0 ms"
    assert "lasts up to 9.00 ms" in finding.text


def test_quiet_where_launches_of_known_kernels_take_as_long() -> None:
    assert ask("first-launch", launches(("gemm", 9000), *(("gemm", 5),) * 6, ("gemm", 9000))) == []


def test_quiet_where_first_launches_are_short() -> None:
    assert ask("first-launch", launches(("gemm", 900), ("gemm", 5), ("gemm", 5))) == []


def test_not_measured_without_launches() -> None:
    assert_not_measured("first-launch", draw("s7  :[?  ]"), "no GPU event of this file has a launch")
