"""Time spent compiling: its phases sum to when anything compiled."""

from __future__ import annotations

from tb_plugin_explain.analyses.compile_time import CompileTime, find_compile_time
from tb_plugin_explain.trace.model import Category
from tests.compiled_names import NAMES
from tests.trace_drawing import Row, draw, trace_of


def phase(name: str, start_us: float, duration_us: float, thread: str = "1") -> Row:
    return Row(Category.CPU_OP, name, start_us, duration_us, thread=thread)


def test_each_phase_has_what_no_phase_inside_it_took() -> None:
    trace = draw(
        """
        us  :0    5    10   15   20   25
        step:[1                        ]
        cpu :[compile          ]   [mul]
        cpu :   [phase] [mul]
    """,
        names=NAMES,
    )
    found = find_compile_time(trace)
    # What else runs while compiling, tracing with example tensors above all, is part of its phase.
    assert found == CompileTime(19_000, {"compile_inner": 12_000, "compile_fx_inner": 7_000})


def test_the_events_that_one_phase_writes_are_one_phase() -> None:
    found = find_compile_time(
        trace_of([
            phase("entire_frame_compile", 10, 50),
            phase("entire_frame_compile (dynamo_timed)", 11, 48),
            phase("entire_frame_compile_data: fn_name=f, compile_id=0/1", 10.5, 0.25),
            phase("backward._backward_impl (dynamo_timed)", 100, 30),
        ])
    )  # fmt: skip
    assert found == CompileTime(80_000, {"entire_frame_compile": 50_000, "backward._backward_impl": 30_000})


def test_threads_that_compile_at_once_count_once() -> None:
    found = find_compile_time(
        trace_of([phase("a (dynamo_timed)", 10, 50), phase("b (dynamo_timed)", 40, 50, thread="2")])
    )
    # An instant is in the phase that began last; phases may cross, as threads do.
    assert found == CompileTime(80_000, {"b": 50_000, "a": 30_000})


def test_a_recording_without_compiling_has_no_time_of_it() -> None:
    assert find_compile_time(draw("cpu : [lookup] [mul]")) is None
