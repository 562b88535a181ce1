"""Which names Inductor gives to kernels, and what they hold."""

from __future__ import annotations

import pytest

from tb_plugin_explain.comparison.generated import take_apart
from tb_plugin_explain.trace.generated_names import GeneratedName, is_generated, read_generated

NAMELESS = (
    "triton_", "triton_0", "triton__0", "triton__0d1d2de", "triton_poi__3", "triton_red_0",
    "triton_red_fused_0", "triton_poi_fused_3", "triton_poi_fused_3_0d1d2de",
)  # fmt: skip
NAMED = (
    "triton_per_fused_native_layer_norm_0", "triton_tem_fused_mm_3", "triton_fused_add_0",
    "cpp_fused_add_relu_1", "graph_0_cpp_fused_add_0_1", "cutlass_fused_mm_0", "rocm_fused_mm_1",
)  # fmt: skip
OTHERS = (
    "triton_add_0", "triton_mul_12", "triton_attention_kernel", "triton_poi_kernel",
    "my_triton_poi_fused_add_0", "triton_mla_fused_rope_0", "cpp_poi_fused_add_0", "fused_dropout_kernel",
    "gemm",
)  # fmt: skip


@pytest.mark.parametrize("name", [*NAMELESS, *NAMED])
def test_inductor_wrote_it(name: str) -> None:
    assert is_generated(name)


@pytest.mark.parametrize("name", OTHERS)
def test_kernels_of_others_are_not_generated(name: str) -> None:
    assert not is_generated(name)


@pytest.mark.parametrize("name", NAMELESS)
def test_a_nameless_kernel_holds_no_operators_and_stays_itself(name: str) -> None:
    read = read_generated(name)
    assert read is not None
    assert (read.identity, read.operators) == (name, "")


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("triton_fused_add_0", ("triton_fused_add", "triton", "add")),
        ("triton_red_fused_add_mul_4_0d1d2de", ("triton_red_fused_add_mul", "red", "add_mul")),
        ("graph_3_cpp_fused_add_0_1", ("cpp_fused_add", "cpp", "add")),
        ("rocm_fused_mm_1", ("rocm_fused_mm", "tem", "mm")),
        ("triton_red_0", ("triton_red_0", "red", "")),
    ],
)
def test_what_a_name_holds(name: str, read: tuple[str, str, str]) -> None:
    assert read_generated(name) == GeneratedName(*read)


@pytest.mark.parametrize("name", [*NAMELESS, *NAMED, *OTHERS])
def test_what_is_generated_can_be_taken_apart_and_nothing_else(name: str) -> None:
    assert (take_apart(name) is not None) == is_generated(name)
