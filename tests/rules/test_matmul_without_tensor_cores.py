"""Matrix products in fp32 on ordinary cores, beside tensor cores that stay unused."""

from __future__ import annotations

import pytest

from tests.rules.asking import ask, assert_not_measured, figures, found, table
from tests.rules.gpu_steps import Work, kernels, steps_of
from tests.trace_drawing import draw

RULE = "matmul-without-tensor-cores"
SGEMM = Work("ampere_sgemm_128x64_tn", 300)


def test_fp32_products_on_ordinary_cores_are_named_without_a_promise() -> None:
    finding = found(RULE, steps_of([SGEMM, *kernels(100, 100)]))
    assert (finding.verdict, finding.at_stake_us, finding.looks_like_us) == ("undecided", None, 300)
    assert finding.title == "Matrix products without tensor cores take 60.0 % of the GPU’s time"
    assert 'set_float32_matmul_precision("high")' in (finding.advice or "")
    assert figures(finding) == {"their share": 60.0}
    assert table(finding)[0][:2] == ["ampere_sgemm_128x64_tn", 1]


def test_tf32_is_not_advised_where_no_kernel_shows_that_the_gpu_has_it() -> None:
    advice = found(RULE, steps_of([Work("volta_sgemm_128x64_nn", 300), *kernels(100)])).advice or ""
    assert "autocast" in advice
    assert "float32_matmul_precision" not in advice


@pytest.mark.parametrize(
    "name",
    [
        "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_tn",
        "cutlass_80_tensorop_s1688gemm_128x64_16x6_nn_align4",
        "maxwell_sgemm_128x64_nn",
        "nvjet_tst_64x8",
        "Cijk_Ailk_Bljk_SB_MT64x64x8",
        "elementwise_kernel",
    ],
)
def test_quiet_about_other_kernels(name: str) -> None:
    assert ask(RULE, steps_of([Work(name, 300), *kernels(100)])) == []


def test_quiet_where_they_take_little_or_the_gpu_waits() -> None:
    assert ask(RULE, steps_of([Work(SGEMM.name, 9), *kernels(100)])) == []
    assert ask(RULE, steps_of([SGEMM, *kernels(100)], idle_us=2000)) == []


def test_not_measured_without_gpu_events() -> None:
    assert_not_measured(RULE, draw("us  :0\nstep:[1     ]\ncpu :[op ][a]"), "no GPU event")
