"""What the glossary says of names, by the facts that analyses read."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin_explain.glossary import facts, terms_of, what_is
from tb_plugin_explain.trace.model import Category

KERNEL = Category.KERNEL


@pytest.mark.parametrize(
    ("name", "library", "dtype", "tensor_cores"),
    [
        ("ampere_sgemm_128x64_tn", "cuBLAS", "fp32", False),
        ("volta_sgemm_fp16_128x128_tn", "cuBLAS", "fp16", False),
        ("ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn", "cuBLAS", "bf16", True),
        ("volta_h884gemm_128x64_ldg8_nn", "cuBLAS", "fp16", True),
        ("turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn", "cuBLAS", "fp16", True),
        ("ampere_tf32_s1688gemm_128x64_ldg4_tn", "cuBLAS", "tf32", True),
        # The letters of these names are not documented: nothing is claimed.
        ("volta_s884gemm_128x64_ldg8_nn", "cuBLAS", None, True),
        ("nvjet_tst_128x64_64x9_1x2_h_bz_coopA_TNN", "cuBLAS", None, None),
        (
            "sm90_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x32_warpgroupsize1x1x1_x",
            "cuBLAS",
            "fp32",
            None,
        ),
        (
            "sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x64x32_s_tensor16x8x8_kernel",
            "cuBLAS",
            "tf32",
            True,
        ),
        (
            "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_tn_align1>(int)",
            "CUTLASS",
            "tf32",
            True,
        ),
        ("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x128_8x4_nn_align1>(int)", "CUTLASS", "fp32", False),
        (
            "Cijk_Alik_Bljk_BBS_BH_Bias_MT128x192x64_MI16x16x1_SN",
            "Tensile (rocBLAS or hipBLASLt)",
            "bf16",
            True,
        ),
        ("Cijk_Ailk_Bljk_SB_MT64x64x16_SE_1LDSB0", "Tensile (rocBLAS or hipBLASLt)", "fp32", None),
        ("volta_scudnn_128x64_relu_interior_nn_v1", "cuDNN", "fp32", False),
    ],
)
def test_matrix_multiplies(name: str, library: str, dtype: str | None, tensor_cores: bool | None) -> None:
    found = facts(name, KERNEL)
    assert (found.library, found.dtype, found.tensor_cores) == (library, dtype, tensor_cores)
    assert found.operation in ("matrix multiply", "convolution")


def test_fused_operators_are_split() -> None:
    found = facts("triton_poi_fused__to_copy_add_native_layer_norm_3", KERNEL)
    assert found.fused_ops == ("_to_copy", "add", "native_layer_norm")
    assert found.library == "Inductor"


def test_a_kernel_of_the_users_own_in_triton_is_not_said_to_be_inductors() -> None:
    assert facts("triton_flash_attention", KERNEL).library is None


@pytest.mark.parametrize(
    ("name", "collective"),
    [
        ("ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*)", "all-reduce"),
        ("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "all-reduce"),
        ("ncclDevKernel_SendRecv(ncclDevComm*)", "send and receive"),
        ("ncclDevKernel_Generic(ncclDevComm*)", None),
        ("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(int)", "all-reduce"),
    ],
)
def test_collectives(name: str, collective: str | None) -> None:
    assert facts(name, KERNEL).collective == collective


@pytest.mark.parametrize(
    ("name", "category", "entry"),
    [
        ("cudaGetDeviceProperties_v2", "cuda_runtime", "runtime.device-properties"),
        ("hipGetDevicePropertiesR0600", "cuda_runtime", "runtime.device-properties"),
        ("cudaLaunchKernelExC_v11060", "cuda_runtime", "runtime.launch"),
        ("dma_request", "mtia_ccp_events", "memcpy.dma-request"),
        ("event_wait", "mtia_ccp_events", "sync.mtia-wait"),
        ("fc-dtype_Float", "mtia_ccp_events", "mtia.named"),
        ("ProfilerStep#3", "Operator", "annotation.step"),
        ("ProfilerStep#3", "gpu_user_Annotation", "annotation.step"),
        ("Memcpy HtoD (Pageable -> Device)", "Memcpy", "memcpy.pageable"),
        ("aten::some_new_op", "cpu_op", "op.aten-other"),
        ("SomeNewThingBackward0", "cpu_op", "op.backward-node"),
        ("AOTDispatcher Runtime Wrapper Prologue", "cpu_op", "compile.aot-prologue"),
    ],
)
def test_categories_as_files_spell_them(name: str, category: str, entry: str) -> None:
    assert what_is(name, category).entry == entry


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("cudaLaunchKernel", "runtime"),
        ("ampere_sgemm_128x64_tn", "kernel"),
        ("aten::mm", "cpu_op"),
        ("Memcpy DtoD (Device -> Device)", "memcpy"),
        ("Activity Buffer Request", "overhead"),
        ("torch/optim/adamw.py(120): step", "python"),
        ("\U0001f600 nothing like it", "other"),
    ],
)
def test_without_a_category_the_name_decides(name: str, category: str) -> None:
    assert what_is(name).category == category


@pytest.mark.parametrize(
    ("shortened", "entry", "whole"),
    [
        ("cutlass::Kernel2", "cutlass.any", "cutlass::Kernel2"),
        ("cutlass::Kernel", "cutlass.any", "cutlass::Kernel"),
        ("flash::flash_fwd_kernel", "op.custom", "flash::flash_fwd_kernel"),
        ("mylib::attention", "op.custom", "mylib::attention"),
        ("addmm", "op.aten-out", "aten::addmm"),
        ("_foreach_copy", "op.aten-out", "aten::_foreach_copy"),
        ("custom_flash_aligned", "op.flash-aligned", "custom_flash_aligned"),
        ("expand_as", "op.view", "aten::expand_as"),
        ("my_backward", "unknown", "my_backward"),
        ("aten::some_new_op", "op.aten-other", "aten::some_new_op"),
    ],
)
def test_names_as_reports_shorten_them(shortened: str, entry: str, whole: str) -> None:
    explanation = what_is(shortened)
    assert (explanation.entry, explanation.name) == (entry, whole)


def test_with_a_category_a_name_is_taken_as_it_stands() -> None:
    assert what_is("addmm", "kernel").entry == "kernel.other"
    assert what_is("cutlass::Kernel2", "cpu_op").entry == "op.custom"


FOURIER = "void vector_fft<512u, EPT<8u>, 2u, 4u, (padding_t)0>(kernel_arguments_t<unsigned int>)"


@pytest.mark.parametrize(
    ("name", "category"),
    [
        (FOURIER, "kernel"),
        ("generate_seed_pseudo(unsigned long long)", "kernel"),
        ("void cusparse::csrmm_alg2_kernel<int>(int)", "kernel"),
    ],
)
def test_no_sort_is_seen_in_transforms_random_numbers_and_sparse_algebra(name: str, category: str) -> None:
    assert "sort" not in what_is(name, category).problem


def test_decoding_is_not_said_to_grow_with_the_square() -> None:
    problem = what_is("void flashinfer::BatchDecodeWithPagedKVCacheKernel<int>(int)", "kernel").problem
    assert "each new token, with the length of the text before it" in problem


@pytest.mark.parametrize("name", ["triton_tem_fused_26", "triton_tem_fused_bmm_8"])
def test_a_template_is_no_work_on_memory_alone(name: str) -> None:
    assert "max-autotune" in what_is(name, "kernel").problem
    assert "size of its tensors" not in what_is(name, "kernel").problem


def test_flex_attention_is_known_with_its_prefix() -> None:
    explanation = what_is("triton_tem_fused_flex_attention_0", "kernel")
    assert (explanation.entry, explanation.operation) == ("triton.flex-attention", "attention")
    assert explanation.fused_ops == ("flex_attention",)


@pytest.mark.parametrize(
    "name",
    [
        "_c10d_functional::wait_tensor",
        "SenRdmaSend_82227 [sync=AllReduce_all_reduce_4_s0_r1_0] DmaO",
        "ViewNestedFromBuffer",
        "fb::scale_gradient",
    ],
)
def test_what_launches_no_kernels_is_not_told_to_launch_fewer(name: str) -> None:
    assert "many short operators" not in what_is(name, "cpu_op").problem


@pytest.mark.parametrize("name", ["sage_fwd", "void qk_int8_sv_f8_accum_f32_attn_kernel<128, 64>(int)"])
def test_sage_attention_is_the_programs_choice(name: str) -> None:
    assert "scaled_dot_product_attention" not in what_is(name, "kernel").why


FLASH_3 = (
    "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttn{}Sm90<int> > >(flash::Params)"
)
MEMORY_EFFICIENT = "fmha_cutlass{}_f32_aligned_64x64_rf_sm80(int)"


@pytest.mark.parametrize(
    ("name", "does"),
    [
        (FLASH_3.format("Fwd"), "Computes attention with"),
        (FLASH_3.format("Bwd"), "Computes gradients of attention with"),
        (MEMORY_EFFICIENT.format("F"), "Computes attention in fp32"),
        (MEMORY_EFFICIENT.format("B"), "Computes gradients of attention in fp32"),
        ("fmha_bwd_hd128_bf16", "Computes gradients of attention on AMD GPUs"),
    ],
)
def test_attention_says_the_pass_that_its_name_tells(name: str, does: str) -> None:
    said = what_is(name, "kernel").what
    assert said.startswith(does)
    assert "or its gradient" not in said


def test_a_range_named_after_a_kernel_is_told_from_the_kernel() -> None:
    explanation = what_is("ampere_sgemm_128x64_tn", "cuda_profiler_range")
    assert explanation.library == "cuBLAS"
    assert "its length is not the kernel’s" in explanation.what
    assert "its length" not in what_is("ampere_sgemm_128x64_tn", KERNEL).what


def test_gpu_annotations_are_said_to_be_no_work() -> None:
    assert "is no work" in what_is("ProfilerStep#3", Category.GPU_ANNOTATION).what
    assert "is no work" not in what_is("ProfilerStep#3", Category.ANNOTATION).what


def test_terms_come_in_an_order_in_which_they_can_be_read() -> None:
    terms = [term.id for term in terms_of(what_is("ampere_sgemm_128x64_tn", KERNEL))]
    assert terms.index("gemm") < terms.index("tile") < terms.index("tensor-cores")


def test_an_answer_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        what_is("aten::mm").library = "x"  # type: ignore[misc]


LETTERS = string.ascii_letters + string.digits + "_:<>(), .#-*{}[]|&"


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=60), st.text(LETTERS, max_size=300)), st.sampled_from(Category))
def test_any_name_of_any_category_is_answered(name: str, category: Category) -> None:
    explanation = what_is(name, category)
    assert explanation.human
    assert explanation.what
    assert facts(name, category).library == explanation.library


@pytest.mark.parametrize(
    "name",
    [
        "a" * 30_000,
        "at::native::" * 2_500,
        "void f<" + "A<" * 10_000,
        "triton_poi_fused_" + "add_" * 3_000 + "0",
        "Cijk_" + "A_B" * 5_000 + "_MT1x1x1_MI",
        "cub::" * 5_000 + "x<",
        "_ZN" + "1a" * 10_000,
    ],
    ids=lambda name: name[:12],
)
def test_long_names_take_no_long_time(name: str) -> None:
    for category in (Category.KERNEL, Category.CPU_OP, Category.PYTHON, Category.ANNOTATION):
        assert what_is(name, category).human
