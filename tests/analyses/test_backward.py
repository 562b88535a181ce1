"""From a backward node to the forward operator with its sequence number."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from tb_plugin_explain.analyses.backward import find_backward_passes
from tb_plugin_explain.analyses.nesting import find_nesting
from tb_plugin_explain.trace.model import Category, Details, OperatorDetails, Trace
from tests.trace_drawing import Row, trace_of

NODE = "autograd::engine::evaluate_function: AddmmBackward0"


def numbered(trace: Trace, sequences: dict[int, int]) -> Trace:
    """The trace with sequence numbers by row."""
    rows = np.array(sorted(sequences), np.int64)
    told = OperatorDetails(rows, np.array([sequences[r] for r in rows.tolist()], np.int64), rows * 0 - 1)
    return replace(trace, details=Details(operators=told))


def op(name: str, start: float, length: float, thread: str = "1", process: str = "main") -> Row:
    return Row(Category.CPU_OP, name, start, length, process, thread)


def forward_name(trace: Trace, row: int) -> str | None:
    passes = find_backward_passes(trace, find_nesting(trace))
    (found,) = passes.forward_of(np.array([row])).tolist()
    return trace.name_of(found) if found >= 0 else None


def test_the_last_operator_with_the_number_is_the_one() -> None:
    rows = [
        op("aten::linear", 0, 10),
        op("aten::addmm", 2, 5),
        op(NODE, 50, 20, "2"),
        op("aten::mm", 55, 5, "2"),
    ]
    trace = numbered(trace_of(rows), {0: 7, 1: 7, 2: 7})
    assert forward_name(trace, 3) == "aten::addmm"


def test_what_runs_in_the_backward_pass_is_no_forward_operator() -> None:
    rows = [op("aten::addmm", 0, 5), op(NODE, 50, 20), op("aten::mm", 52, 5), op("AddmmBackward0", 60, 5)]
    trace = numbered(trace_of(rows), {0: 7, 1: 7, 2: 7, 3: 7})
    passes = find_backward_passes(trace, find_nesting(trace))
    assert passes.running.tolist() == [False, True, True, True]
    assert forward_name(trace, 2) == "aten::addmm"


def test_a_number_of_two_threads_tells_nothing() -> None:
    rows = [op("aten::addmm", 0, 5), op("aten::mul", 2, 5, "3"), op(NODE, 50, 20, "2")]
    trace = numbered(trace_of(rows), {0: 7, 1: 7, 2: 7})
    assert forward_name(trace, 2) is None
    assert not find_backward_passes(trace, find_nesting(trace)).linked


def test_numbers_of_other_processes_and_later_operators_do_not_count() -> None:
    rows = [op("aten::addmm", 0, 5, process="q"), op("aten::later", 90, 5), op(NODE, 50, 20, "2")]
    assert forward_name(numbered(trace_of(rows), {0: 7, 1: 7, 2: 7}), 2) is None


def test_without_a_number_nothing_is_guessed() -> None:
    rows = [op("aten::addmm", 0, 5), op(NODE, 50, 20, "2")]
    assert forward_name(trace_of(rows), 1) is None
