"""One kernel on one shape whose time varies from step to step."""

from __future__ import annotations

from tests.kernel_details import SHAPE, with_kernel_details
from tests.rules.asking import ask, assert_not_measured, found, table
from tests.rules.gpu_steps import Work, kernels, steps_of
from tests.trace_drawing import draw


def test_a_slow_step_is_told() -> None:
    finding = found(
        "kernel-variance", with_kernel_details(steps_of([Work("gemm", 500)], slow_us=500, ahead=True))
    )
    assert (finding.verdict, finding.at_stake_us) == ("expected", 0)
    assert finding.title == "The same kernel takes 500 µs, and 1.00 ms in step 3"
    assert table(finding) == [["gemm", SHAPE, 4, 500.0, "100 %", 3]]


def test_quiet_where_times_are_alike() -> None:
    assert (
        ask("kernel-variance", with_kernel_details(steps_of([Work("gemm", 500)], slow_us=50, ahead=True)))
        == []
    )


def test_quiet_about_communication_which_waits_for_others() -> None:
    trace = steps_of([Work("ncclDevKernel_AllReduce", 500), Work("k", 400)])
    assert ask("kernel-variance", with_kernel_details(trace)) == []
    slow = steps_of([Work("ncclDevKernel_AllReduce", 500)], slow_us=500, ahead=True)
    assert ask("kernel-variance", with_kernel_details(slow)) == []


def test_quiet_about_short_kernels() -> None:
    assert ask("kernel-variance", with_kernel_details(steps_of(kernels(4, 5), slow_us=5, ahead=True))) == []


def test_not_measured_without_shapes_or_steps() -> None:
    assert_not_measured("kernel-variance", steps_of([Work("gemm", 500)]), "recorded shape")
    two = with_kernel_details(steps_of([Work("gemm", 500)], steps=2))
    assert_not_measured("kernel-variance", two, "three averaged steps")
    assert_not_measured("kernel-variance", draw("us  :0\nstep:[1     ]\ncpu :[op ][a]"), "no GPU event")
