"""Matrix multiplications, convolutions and attention: work that seldom moves into pointwise kernels."""

from __future__ import annotations

from tb_plugin_explain.comparison.operator_names import HEAVY
from tb_plugin_explain.comparison.unit import Unit
from tb_plugin_explain.trace.model import Category

# What the glossary reads out of kernels' names, and the work it is.
_MATMUL, _CONVOLUTION, _ATTENTION = "matrix multiplication", "convolution", "attention"
_ATTENTION_BACKWARD = "gradient of attention"
_MULTIPLY = "matrix multiply"
SORTS = frozenset(HEAVY.values())
MATMULS = (_MATMUL, "batched matrix multiplication")


def _work_of_kernel(operation: str) -> str | None:
    if operation.startswith(_MULTIPLY):
        return _MATMUL
    if "gradient" in operation and "convolution" in operation:
        return "gradient of a convolution"
    if "convolution" in operation:
        return _CONVOLUTION
    return _ATTENTION if "attention" in operation else None


def work_of(unit: Unit) -> str | None:
    """Which heavy work a unit does, None if none: by its operator, else by its kernel’s name.

    Kernels inside of a heavy operator that only prepare or finish its work do none.
    """
    if unit.kind not in (Category.KERNEL, Category.CPU_OP):
        return None
    by_operator = HEAVY.get(unit.ops[0]) if unit.ops else None
    by_kernel = _work_of_kernel(unit.operation) if unit.operation else None
    if unit.kind == Category.CPU_OP or unit.operation is None:
        return by_operator
    if by_kernel == _ATTENTION and unit.phase == "backward":
        by_kernel = _ATTENTION_BACKWARD
    return by_kernel and (by_operator or by_kernel)
