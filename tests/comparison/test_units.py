"""The GPU events of a typical step as units: order, operators, generated names, captured graphs."""

from __future__ import annotations

from collections.abc import Sequence

from tb_plugin_explain.comparison.build import make_side
from tb_plugin_explain.comparison.unit import Unit
from tb_plugin_explain.comparison.units import find_units, seen_operators
from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, draw, trace_of


def units_of(trace: Trace, seen: Sequence[str] = ()) -> list[Unit]:
    return find_units(make_side("baseline", trace), frozenset(seen))


def launched(kernel: str, *ops: str, at: int = 0, correlation: int = 1) -> list[Row]:
    """Operators around each other, the outermost first, the launch inside, and the kernel."""
    around = [Row(Category.CPU_OP, op, at + i, 40 - 2 * i) for i, op in enumerate(ops)]
    launch = Row(Category.RUNTIME, "cudaLaunchKernel", at + 15, 2, correlation=correlation)
    event = Row(Category.KERNEL, kernel, at + 50, 5, correlation=correlation, device=0, stream="7")
    return [*around, launch, event]


def test_units_stand_in_the_order_of_launch() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25
        step:[1                        ]
        cpu :  [a]      [b]
        s7  :                 [a ]
        s8  :              [b ]
    """)
    assert [(u.position, u.name, u.ops, u.time_ns) for u in units_of(trace)] == [
        (0, "kernel_a", (), 4000),
        (1, "kernel_b", (), 4000),
    ]


def test_operators_innermost_first_without_wrappers() -> None:
    rows = launched(
        "k",
        "autograd::engine::evaluate_function: MulBackward0",
        "MulBackward0",
        "CompiledFunctionBackward",
        "aten::to",
        "aten::_to_copy",
        "aten::copy_",
    )
    (unit,) = units_of(trace_of(rows))
    assert unit.ops == ("copy", "_to_copy", "to")
    assert len(unit.calls) == 3
    assert unit.phase == "backward"


def test_calls_are_shared_by_what_one_operator_launched() -> None:
    rows = [
        Row(Category.CPU_OP, "aten::mm", 0, 20),
        *(Row(Category.RUNTIME, "cudaLaunchKernel", 2 + 5 * i, 2, correlation=i + 1) for i in range(2)),
        *(
            Row(Category.KERNEL, f"k{i}", 30 + i, 1, correlation=i + 1, device=0, stream="7")
            for i in range(2)
        ),
    ]
    one, other = units_of(trace_of(rows))
    assert one.calls == other.calls == (0,)


def test_a_nameless_kernel_has_the_name_of_the_operator_that_launches_it() -> None:
    (unit,) = units_of(
        trace_of(launched("triton__0d1d2de", "CompiledFunction", "triton_poi_fused_add_mul_3"))
    )
    assert unit.ops == ()
    assert unit.name == "triton__0d1d2de"
    assert unit.generated is not None
    assert unit.identity == "triton_poi_fused_add_mul"


def test_a_user_kernel_is_itself() -> None:
    (unit,) = units_of(trace_of(launched("my_kernel", "mylib::fast_norm", "my_kernel")))
    assert (unit.ops, unit.generated, unit.identity) == (("fast_norm",), None, "my_kernel")


def test_the_operators_that_a_side_ran() -> None:
    trace = trace_of(launched("k", "CompiledFunction", "mylib::norm_", "triton_poi_fused_add_0"))
    assert seen_operators(make_side("baseline", trace)) == {"norm"}


def graph(captured: int) -> Trace:
    """A capture of two kernels and a memset, and a launch of a graph with as many as ``captured``."""
    calls = [
        Row(Category.RUNTIME, "cudaStreamBeginCapture", 0, 1),
        Row(Category.CPU_OP, "aten::mm", 10, 10),
        Row(Category.RUNTIME, "cudaLaunchKernel", 12, 2, correlation=1),
        Row(Category.RUNTIME, "cudaMemsetAsync", 15, 2, correlation=2),
        Row(Category.CPU_OP, "triton_poi_fused_gelu_0", 30, 10),
        Row(Category.DRIVER, "cuLaunchKernel", 32, 2, correlation=3),
        Row(Category.RUNTIME, "cudaStreamEndCapture", 50, 1),
        Row(Category.RUNTIME, "cudaGraphLaunch", 60, 5, correlation=9),
    ]
    events = [
        Row(Category.KERNEL, "gemm", 70, 5, correlation=9, device=0, stream="7"),
        Row(Category.MEMSET, "Memset (Device)", 80, 1, correlation=9, device=0, stream="7"),
        Row(Category.KERNEL, "triton__0d1", 90, 5, correlation=9, device=0, stream="7"),
    ]
    return trace_of([*calls, *events[:captured]])


def test_a_graph_captured_in_the_recording_tells_its_operators() -> None:
    gemm, memset, generated = units_of(graph(3))
    assert (gemm.ops, memset.ops, generated.ops) == (("mm",), ("mm",), ())
    assert gemm.calls == memset.calls
    assert generated.identity == "triton_poi_fused_gelu"


def test_another_graph_than_the_captured_one_tells_nothing() -> None:
    assert [u.ops for u in units_of(graph(2))] == [(), ()]


def test_no_gpu_work() -> None:
    assert units_of(trace_of([Row(Category.CPU_OP, "aten::mm", 0, 10)])) == []
