"""Names of generated kernels, taken apart."""

from __future__ import annotations

import pytest

from tb_plugin_explain.comparison.generated import take_apart
from tb_plugin_explain.comparison.operator_names import bare, is_operator


@pytest.mark.parametrize(
    ("name", "identity", "kind", "ops"),
    [
        ("triton_poi_fused_add_mul_tanh_0", "triton_poi_fused_add_mul_tanh", "poi", ("add", "mul", "tanh")),
        ("triton_poi_fused_add_0_0d1d2de", "triton_poi_fused_add", "poi", ("add",)),
        ("triton_per_fused_log2_3", "triton_per_fused_log2", "per", ("log2",)),
        ("triton_tem_fused_bmm_8", "triton_tem_fused_bmm", "tem", ("bmm",)),
        ("triton_poi_fused_copy__3", "triton_poi_fused_copy_", "poi", ("copy",)),
        ("triton_poi_fused__to_copy_1", "triton_poi_fused__to_copy", "poi", ("_to_copy",)),
        ("cpp_fused_add_relu_1", "cpp_fused_add_relu", "cpp", ("add", "relu")),
        ("graph_0_cpp_fused_add_mul_0", "cpp_fused_add_mul", "cpp", ("add", "mul")),
        ("graph_3_cpp_fused_add_mul_0_1", "cpp_fused_add_mul", "cpp", ("add", "mul")),
        ("cutlass_fused_mm_0", "cutlass_fused_mm", "tem", ("mm",)),
        ("triton_poi_fused_3", "triton_poi_fused_3", "poi", ()),
        ("triton__0d1d2d3de", "triton__0d1d2d3de", "unk", ()),
        ("triton_", "triton_", "unk", ()),
    ],
)
def test_take_apart(name: str, identity: str, kind: str, ops: tuple[str, ...]) -> None:
    generated = take_apart(name)
    assert generated is not None
    assert (generated.identity, generated.kind, generated.ops) == (identity, kind, ops)


@pytest.mark.parametrize(
    "name",
    [
        "_fwd_kernel_aligned_0d1d2d3d45d6de7de",
        "triton_add_kernel",
        "cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8",
        "void at::native::vectorized_elementwise_kernel<4, fused_add>",
        "fused_dropout_kernel",
        "aten::add",
    ],
)
def test_others_name_themselves(name: str) -> None:
    assert take_apart(name) is None


def test_what_the_other_side_ran_is_read_first() -> None:
    name = "triton_poi_fused_constant_pad_nd_moe_forward_0"
    with_custom = take_apart(name, {"moe_forward", "constant_pad_nd"})
    assert with_custom is not None
    assert with_custom.ops == ("constant_pad_nd", "moe_forward")
    assert with_custom.sure
    without = take_apart(name)
    assert without is not None
    assert not without.sure


def test_two_readings_are_not_sure() -> None:
    sure = take_apart("triton_poi_fused_native_layer_norm_0")
    several = take_apart(
        "triton_poi_fused_native_layer_norm_0", {"native_layer", "norm", "native_layer_norm"}
    )
    assert sure is not None
    assert several is not None
    assert sure.sure
    assert not several.sure


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("aten::add_", "add"), ("aten::add", "add"), ("aten::__and__", "__and__"), ("vllm::moe", "moe"),
        ("aten::_to_copy", "_to_copy"), ("flash_attn::_flash_attn_forward", "_flash_attn_forward"),
        ("record_param_comms", "record_param_comms"), ("aten::mul_.Tensor", "mul"),
        ("autograd::engine::evaluate_function: AddmmBackward0", "evaluate_function: AddmmBackward0"),
        (
            "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
            "evaluate_function: AccumulateGrad",
        ),
    ],
)  # fmt: skip
def test_bare(name: str, plain: str) -> None:
    assert bare(name) == plain


@pytest.mark.parametrize(
    ("name", "does_work"),
    [
        ("aten::mm", True),
        ("ScaledUpperTriangMaskedSoftmax", True),
        ("autograd::engine::evaluate_function: AddmmBackward0", False),
        ("AddmmBackward0", False),
        # A Function of the program's own may launch kernels itself: nothing else names their work.
        ("FlashAttnFuncBackward", True),
        ("autograd::engine::evaluate_function: FlashAttnFuncBackward", False),
        ("torch::autograd::AccumulateGrad", False),
        ("CompiledFunction", False),
        ("CompiledFunctionBackward", False),
        ("Torch-Compiled Region: 0/1", False),
        ("## Call CompiledFxGraph fabc ##", False),
        ("TorchDynamo Cache Lookup", False),
        ("Optimizer.step#AdamW.step", False),
        ("compile_fx_inner (dynamo_timed)", False),
    ],
)
def test_wrappers_are_no_operators(name: str, does_work: bool) -> None:
    assert is_operator(name) is does_work
