"""Names of operators as both sides are compared by: bare, and without what only wraps others."""

from __future__ import annotations

import re
from functools import lru_cache

from tb_plugin_explain.trace import vocabulary

# A node of the program’s own (torch.autograd.Function) bears no number: ``FlashAttnFuncBackward``. It may
# launch kernels itself, and then its name alone tells what they do. Those of PyTorch hold operators that do.
_OWN_NODE = re.compile(r"\w+Backward")

# The operators whose work each of these does in one call
# (aten/src/ATen/native/LinearAlgebra.cpp, Blas.cpp, PointwiseOps.cpp).
MERGED: dict[str, tuple[str, ...]] = {
    "addmm": ("mm", "add"),
    "addmv": ("mv", "add"),
    "addbmm": ("bmm", "sum", "add"),
    "baddbmm": ("bmm", "add"),
    "addr": ("ger", "outer", "add"),
    "_addmm_activation": ("mm", "addmm", "add", "relu", "gelu"),
    "cudnn_convolution_relu": ("cudnn_convolution", "add", "relu"),
    "cudnn_convolution_add_relu": ("cudnn_convolution", "add", "relu"),
    "addcmul": ("mul", "add"),
    "addcdiv": ("div", "add"),
}

# Operators that go by another name in the graph that Inductor compiles: the name there, and here
# those whose events stand for it (torch/_inductor/decomposition.py, torch/_decomp).
_ALIASES: dict[str, tuple[str, ...]] = {
    "native_batch_norm": ("cudnn_batch_norm", "miopen_batch_norm", "batch_norm"),
    "_native_batch_norm_legit": ("native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm", "batch_norm"),
    "_native_batch_norm_legit_functional": (
        "native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm", "batch_norm",
    ),
    "_native_batch_norm_legit_no_training": (
        "native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm", "batch_norm",
    ),
    "_batch_norm_with_update": ("native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm", "batch_norm"),
    "native_batch_norm_backward": ("cudnn_batch_norm_backward", "miopen_batch_norm_backward"),
    "batch_norm_backward": (
        "native_batch_norm_backward", "cudnn_batch_norm_backward", "miopen_batch_norm_backward",
    ),
    "_low_memory_max_pool2d_with_offsets": ("max_pool2d_with_indices",),
    "_low_memory_max_pool2d_offsets_to_indices": ("max_pool2d_with_indices_backward",),
    "convert_element_type": ("_to_copy",),
    "full": ("fill",),
    "full_like": ("fill",),
    "zeros_like": ("zero",),
    "rms_norm": ("_fused_rms_norm",),
    "_fused_rms_norm": ("rms_norm",),
    "bernoulli_p": ("bernoulli",),
    "inductor_random": ("rand", "uniform", "bernoulli"),
}  # fmt: skip

# Operators whose work is in kernels of their own, which pointwise and reduction kernels seldom replace.
_HEAVY = {
    "matrix multiplication": (
        "mm", "addmm", "mv", "addmv", "dot", "linear", "_scaled_mm", "_int_mm", "_addmm_activation",
        "_weight_int4pack_mm", "_weight_int8pack_mm",
    ),
    "batched matrix multiplication": (
        "bmm", "baddbmm", "addbmm", "matmul", "_grouped_mm", "_scaled_grouped_mm",
    ),
    "convolution": (
        "convolution", "_convolution", "conv1d", "conv2d", "conv3d", "cudnn_convolution",
        "miopen_convolution", "cudnn_convolution_transpose", "miopen_convolution_transpose",
        "cudnn_convolution_relu", "cudnn_convolution_add_relu", "_conv_depthwise2d", "slow_conv2d",
        "_slow_conv2d_forward",
    ),
    "gradient of a convolution": ("convolution_backward", "_slow_conv2d_backward"),
    "attention": (
        "_flash_attention_forward", "_efficient_attention_forward", "_cudnn_attention_forward",
        "_scaled_dot_product_flash_attention", "_scaled_dot_product_efficient_attention",
        "_scaled_dot_product_cudnn_attention", "scaled_dot_product_attention", "_flash_attn_forward",
        "flex_attention",
    ),
    "gradient of attention": (
        "_flash_attention_backward", "_efficient_attention_backward", "_cudnn_attention_backward",
        "_scaled_dot_product_flash_attention_backward", "_scaled_dot_product_efficient_attention_backward",
        "_scaled_dot_product_cudnn_attention_backward", "_flash_attn_backward", "flex_attention_backward",
    ),
}  # fmt: skip
HEAVY: dict[str, str] = {op: work for work, ops in _HEAVY.items() for op in ops}

# Operators that launch nothing: they make another view of a tensor, or claim memory.
SILENT = frozenset(
    (
        "view", "_unsafe_view", "reshape", "_reshape_alias", "transpose", "t", "permute", "expand",
        "unsqueeze", "squeeze", "slice", "select", "split", "split_with_sizes", "unbind", "as_strided",
        "alias", "detach",
        "diagonal", "unfold", "view_as", "view_as_real", "view_as_complex", "expand_as", "narrow", "chunk",
        "flatten", "unflatten", "movedim", "numpy_T", "lift_fresh", "empty", "empty_like", "empty_strided",
        "new_empty", "new_empty_strided", "broadcast_in_dim", "inductor_lookup_seed", "inductor_seeds",
    )
)  # fmt: skip


def bare(name: str) -> str:
    """``add`` of ``aten::add_``: without namespace, overload, and the ``_`` of in-place operators.

    A node that autograd evaluates stays apart from what it calls: ``evaluate_function: AddmmBackward0``.
    """
    if node := vocabulary.evaluated_node(name):
        return f"evaluate_function: {bare(node)}"
    if "::" in name:
        name = name.rpartition("::")[2].partition(".")[0]
    return name.removesuffix("_") if len(name) > 1 and not name.endswith("__") else name


@lru_cache(maxsize=16384)
def is_operator(name: str) -> bool:
    """Whether an event of this name does work of its own: no node of autograd, no compiled path."""
    return not (
        (vocabulary.is_backward_node(name) and not _OWN_NODE.fullmatch(name))
        or vocabulary.is_compiled_path(name)
        or vocabulary.is_compile(name)
        or vocabulary.is_data_loader(name)
        or vocabulary.is_optimizer_part(name)
    )


def stand_ins(op: str) -> tuple[str, ...]:
    """An operator’s name, and the names under which eager code runs it."""
    return (op, *_ALIASES.get(op, ()))


def is_part(part: str, whole: str) -> bool:
    """Whether the second operator does the work of the first and more in one call."""
    return part in MERGED.get(whole, ())
