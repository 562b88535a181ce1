"""Modules by path, forward and backward."""

from __future__ import annotations

from tb_plugin_explain.analyses.modules import ModuleTimes
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Trace
from tests.analyses.test_backward import numbered
from tests.trace_drawing import Row, trace_of

NODE = "autograd::engine::evaluate_function: AddmmBackward0"


def module(name: str, start: float, length: float) -> Row:
    return Row(Category.PYTHON, f"nn.Module: {name}", start, length)


def launched(start: float, correlation: int, length: float, thread: str = "1") -> list[Row]:
    return [
        Row(Category.RUNTIME, "cudaLaunchKernel", start, 1, thread=thread, correlation=correlation),
        Row(Category.KERNEL, "k", start + 50, length, correlation=correlation, device=0, stream="7"),
    ]


def training() -> Trace:
    rows = [
        Row(Category.ANNOTATION, "ProfilerStep#1", 1, 99),
        module("Net_0", 2, 30), module("Linear_0", 4, 10), module("Linear_0", 20, 5),
        Row(Category.CPU_OP, "aten::addmm", 5, 8), *launched(6, 1, 10),
        *launched(16, 2, 3),
        Row(Category.CPU_OP, NODE, 40, 10, thread="2"), *launched(45, 3, 20, "2"),
        *launched(60, 4, 2),
    ]  # fmt: skip
    return numbered(trace_of(rows), {4: 9, 9: 9})


def by_path(trace: Trace) -> dict[str, ModuleTimes]:
    return {row.path: row for row in RunAnalyses(trace).modules.rows}


def test_calls_and_cpu_time() -> None:
    rows = by_path(training())
    assert set(rows) == {"Net_0", "Net_0/Linear_0"}
    assert (rows["Net_0"].calls, rows["Net_0"].cpu_total_ns, rows["Net_0"].cpu_self_ns) == (1, 30_000, 15_000)
    assert (rows["Net_0/Linear_0"].calls, rows["Net_0/Linear_0"].cpu_self_ns) == (2, 15_000)


def test_device_time_forward_and_backward() -> None:
    rows, found = by_path(training()), RunAnalyses(training()).modules
    assert (rows["Net_0/Linear_0"].device_self_ns, rows["Net_0/Linear_0"].backward_self_ns) == (
        10_000,
        20_000,
    )
    assert (rows["Net_0"].device_self_ns, rows["Net_0"].device_total_ns) == (3_000, 13_000)
    assert (rows["Net_0"].backward_self_ns, rows["Net_0"].backward_total_ns) == (0, 20_000)
    assert found.unattributed_ns == 2_000
    assert found.backward_known


def test_without_stacks_there_are_none() -> None:
    found = RunAnalyses(trace_of([Row(Category.CPU_OP, "aten::mm", 1, 5)])).modules
    assert found.rows == []
    assert not found.backward_known
