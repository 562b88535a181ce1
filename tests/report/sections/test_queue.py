"""The section ``queue`` of the report."""

from __future__ import annotations

import pytest

from tb_plugin_explain.report.sections import queue
from tb_plugin_explain.report_sections.queue import BlockedCall, Queue
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, draw, trace_of


def section(trace: Trace) -> Queue:
    built = queue.build(RunAnalyses(trace))
    assert built is not None
    return built


def test_a_step_in_its_own_units() -> None:
    (step,) = section(
        draw(
            """
        us  :0    5    10   15   20   25   30
        step:     [1                         ]
        cpu :     [a]        [b  ]
        s7  :        [a ]             [b ]
    """
        )
    ).steps
    # The window begins with the step, from which times count.
    assert (step.step, step.device, step.start_us, step.window_us) == (1, 0, 0, 24)
    assert (step.idle_launching_us, step.idle_empty_us, step.idle_queued_us) == (8, 4, 4)
    assert step.empty_share == 4 / 24
    assert (step.behind_us, step.behind_after, step.late_before, step.late_after) == (0, 0, 0, 2)
    assert [(s.stream, s.launches, s.max, s.mean) for s in step.streams] == [("7", 2, 1, 0.5)]
    assert step.mean == 0.5
    assert step.series is not None
    assert len(step.series) == 200
    assert sum(step.series) / 200 == pytest.approx(0.5, abs=0.005)


def test_a_window_without_length_has_no_shares() -> None:
    steps = section(
        draw("""
        us  :0    5    10   15   20
        step:[1     ][2      ]
        cpu :[a]      [b]
        s7  :   [a             ]
        s8  :           [b]
    """)
    ).steps
    assert [(s.window_us, s.mean, s.empty_share, s.series is None) for s in steps][1] == (0, None, None, True)


def test_blocked_launches_are_listed_with_their_kernels() -> None:
    blocked = section(
        trace_of(
            [
                Row(Category.ANNOTATION, "ProfilerStep#5", 1000, 6000),
                Row(Category.RUNTIME, "cudaLaunchKernel", 1010, 5, correlation=1),
                Row(Category.KERNEL, "long", 1016, 5800, correlation=1, device=0, stream="7"),
                Row(Category.RUNTIME, "cudaLaunchKernel", 1040, 5000, correlation=2),
                Row(Category.KERNEL, "short", 6816, 10, correlation=2, device=0, stream="7"),
            ]
        )
    ).blocked
    assert (blocked.count, blocked.full_queue, blocked.total_us, blocked.device_busy_us) == (1, 0, 5000, 5000)
    assert blocked.calls == [
        BlockedCall(5, "cudaLaunchKernel", "short", 40, 5000, 5, 1, "busy_stream", 3),
    ]
    assert blocked.rest_us == 0


def test_nothing_launched_nothing_queued() -> None:
    assert queue.build(RunAnalyses(draw("cpu :[op ]"))) is None
    assert queue.build(RunAnalyses(draw("s7  :[?  ]"))) is None
