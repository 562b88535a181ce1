"""Units in few words, and as hypothesis draws them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tb_plugin_explain.analyses.origins import PHASES
from tb_plugin_explain.comparison.generated import take_apart
from tb_plugin_explain.comparison.unit import Unit
from tb_plugin_explain.trace.model import Category

_OPS = ("mm", "addmm", "add", "mul", "relu", "copy", "clone", "gelu", "_to_copy", "sum", "linear")
_NAMES = ("gemm", "gemm2", "add_kernel", "mul_kernel", "copy_kernel", "Memcpy DtoD (Device -> Device)")
_GENERATED = (
    "triton_poi_fused_add_mul_0", "triton_poi_fused_add_mul_7", "triton_red_fused_sum_1",
    "triton_poi_fused_clone_relu_2", "triton_tem_fused_mm_3", "triton__0d1d2", "triton_per_fused_gelu_view_4",
)  # fmt: skip


def unit(position: int, name: str, *ops: str, **more: Any) -> Unit:
    """A unit of 1 µs; the operators are innermost first, each call of its own."""
    values: dict[str, Any] = {
        "kind": Category.MEMCPY if name.startswith("Memcpy") else Category.KERNEL,
        "time_ns": 1000,
        "bytes": None,
        "calls": tuple(100 * position + depth for depth in range(len(ops))),
        "phase": "forward",
        "shape": None,
        "operation": "matrix multiply" if "gemm" in name else None,
        "generated": take_apart(name, _OPS),
    }
    return Unit(position=position, name=name, ops=ops, **{**values, **more})


def units(*rows: str) -> list[Unit]:
    """One unit a row: its name, then after ``<`` the operators around it, innermost first."""
    found = []
    for i, row in enumerate(rows):
        name, _, ops = row.partition("<")
        found.append(unit(i, name.strip(), *ops.split()))
    return found


@st.composite
def steps(draw: st.DrawFn) -> list[Unit]:
    """A step of up to 25 units, among them generated kernels, copies and calls of several kernels."""
    found: list[Unit] = []
    for i in range(draw(st.integers(0, 25))):
        name = draw(st.sampled_from((*_NAMES, *_GENERATED)))
        generated = take_apart(name) is not None
        ops = () if generated else tuple(draw(st.lists(st.sampled_from(_OPS), max_size=3, unique=True)))
        calls = tuple(100 * i + k for k in range(len(ops)))
        if found and found[-1].ops == ops and draw(st.booleans()):
            calls = found[-1].calls
        more = {
            "calls": calls,
            "time_ns": draw(st.integers(0, 5000)),
            "phase": draw(st.sampled_from(PHASES)),
            "shape": draw(st.sampled_from((None, "[[2, 2]]", "[[4, 4]]"))) if ops else None,
        }
        found.append(unit(i, name, *ops, **more))
    return found
