"""Kernels that fill little of the GPU."""

from __future__ import annotations

import pytest

from tests.kernel_details import with_kernel_details
from tests.rules.asking import ask, assert_not_measured, found, table
from tests.rules.gpu_steps import Work, steps_of

TRACE = steps_of([Work("softmax", 100), Work("add", 400)])


def test_a_long_kernel_with_few_threads_is_told() -> None:
    finding = found("low-occupancy", with_kernel_details(TRACE, occupancy={"softmax": 6.0, "add": 80.0}))
    assert (finding.verdict, finding.at_stake_us) == ("undecided", None)
    assert finding.title == "A kernel with 20.0 % of the GPU’s time fills little of it"
    assert finding.text.startswith("softmax keeps 6.00 % of the threads")


NEED_FEW = [
    "ampere_sgemm_32x32",
    "flash_fwd_kernel",
    "my_mha",
    "triton_tem_fused_mm_3",
    "ncclDevKernel_Reduce",
]
OTHERS = ["void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>(int)", "void fbgemm_gpu::f<int>(int)"]


@pytest.mark.parametrize("name", NEED_FEW)
def test_quiet_about_kernels_that_need_few_threads(name: str) -> None:
    trace = steps_of([Work(name, 100), Work("add", 400)])
    assert ask("low-occupancy", with_kernel_details(trace, occupancy={name: 6.0, "add": 80.0})) == []


@pytest.mark.parametrize("name", OTHERS)
def test_a_library_of_matrix_products_has_other_kernels_too(name: str) -> None:
    trace = steps_of([Work(name, 100), Work("add", 400)])
    finding = found("low-occupancy", with_kernel_details(trace, occupancy={name: 6.0, "add": 80.0}))
    assert [row[0] for row in table(finding)] == [name]


def test_quiet_where_threads_are_many_or_kernels_short() -> None:
    assert ask("low-occupancy", with_kernel_details(TRACE, occupancy={"softmax": 30.0})) == []
    short = steps_of([Work("softmax", 20)])
    assert ask("low-occupancy", with_kernel_details(short, occupancy={"softmax": 6.0})) == []


def test_zero_is_not_measured() -> None:
    assert_not_measured(
        "low-occupancy", with_kernel_details(TRACE, occupancy={"softmax": 0.0}), "occupancy was recorded"
    )
