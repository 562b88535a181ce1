"""The function in a kernel's name."""

from __future__ import annotations

import pytest

from tb_plugin_explain.glossary.names import function_of, parts_of, plain_kernel_name


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn"),
        ("attn_fwd.kd", "attn_fwd"),
        ("void at::native::reduce_kernel<512, 1>(int)", "at::native::reduce_kernel"),
        ("void at::native::(anonymous namespace)::f<float>(int)", "at::native::f"),
        ("void at::native::<unnamed>::f<float>(int)", "at::native::f"),
        ("find_long_segments(int)", "find_long_segments"),
        ("std::enable_if<!(false), void>::type internal::gemvx::kernel<int>(int)", "internal::gemvx::kernel"),
        ("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bE", "aiter::add_rmsnorm_quant_kernel"),
        ("_ZN2ck16tensor_operation6device12_GLOBAL__N_14kernIfE", "ck::tensor_operation::device::kern"),
        ("_Z7my_kernPfi", "my_kern"),
        ("_Z", "_Z"),
        ("_ZN999x", "x"),
        ("", ""),
    ],
)
def test_function(name: str, function: str) -> None:
    assert function_of(plain_kernel_name(name)) == function


def test_the_parts_of_a_function_are_its_outermost_name_space_and_its_own_name() -> None:
    assert parts_of("vllm::moe::topk") == {"namespace": "vllm", "function": "topk"}
    assert parts_of("sage_fwd") == {"namespace": "sage_fwd", "function": "sage_fwd"}
