"""What is known of a run and of its steps as a whole."""

from __future__ import annotations

import pytest

from tb_plugin_explain.analyses.integrity import find_problems
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, draw, trace_of

TWO_DEVICES = """
    us   :0    5    10   15   20   25   30   35   40   45
    step :[1           ][2           ][3            ]
    cpu  :[a] [b]        [c] [d]       [e] [f]
    s7   :    [a]           [c]            [e]
    d1.s7:        [b      ]     [d      ]      [f      ]
"""


def run_of(picture: str) -> RunAnalyses:
    return RunAnalyses(draw(picture))


def ask_everything(run: RunAnalyses) -> None:
    """Asks for every figure of a run and of its steps; the parts of each whole sum to it."""
    find_problems(run.recording, run.launches)
    _ = (
        run.closing_wait,
        run.settled,
        run.averaged,
        run.pace_ns,
        run.speed_ns,
        run.busiest_device,
        run.bound,
    )
    for step in run.steps:
        _ = (step.sync, step.lane_offset, step.settled, step.period_ns, step.bubble_ns, step.cpu, step.counts)
        _ = step.gpu_is_unknown
        for gpu in step.gpu:
            _ = (gpu.activity, gpu.other_work_ns)
            assert sum(gpu.idle.by_cause.values()) == gpu.idle.idle_ns
            assert sum(gpu.idle.host_by.values()) == gpu.idle.by_cause["host"]
        assert step.cpu is None or sum(step.cpu.values()) == step.step.duration_ns


def test_the_headline_judges_the_device_that_was_busy_longest() -> None:
    run = RunAnalyses(draw(TWO_DEVICES, names=dict.fromkeys("abcdef", "gemm")))
    assert run.busiest_device == 1
    assert [b.figures.busy_ns for b in run.bounds] == [9_000] * 3
    figures = run.steps[0].figures_on(0)
    assert figures is not None
    assert figures.busy_ns == 3000
    assert run.steps[0].figures_on(None) is None


def test_counts_of_a_step() -> None:
    run = run_of("""
        us   :0    5    10   15   20   25
        step :[1                          ]
        cpu  :[g][copy c][set d][b][e]
        s7   :   [g]  [g]    [c] [d]  [b]
        d1.s7:      [g]
    """)
    assert run.steps[0].counts == {"launches": 4, "kernels": 4, "copies": 1, "memsets": 1}


@pytest.mark.parametrize(("lane", "unknown"), [("[a]", True), ("[op]", False)])
def test_work_is_unknown_where_a_step_launched_kernels_and_none_was_recorded(
    lane: str, unknown: bool
) -> None:
    run = run_of(f"""
        us  :0    5
        step:[1     ]
        cpu : {lane}
    """)
    assert run.steps[0].gpu == []
    assert run.steps[0].gpu_is_unknown is unknown


def test_the_period_of_a_step_is_its_distance_to_the_next() -> None:
    run = run_of("""
        us  :0    5    10   15   20
        step:[1    ] [2    ]   [3 ]
        cpu :[op]
    """)
    assert [step.period_ns for step in run.steps] == [8000, 10_000, None]


def test_in_a_trace_of_one_step_the_longer_of_cpu_span_and_device_window_stands_for_the_pace() -> None:
    longer_window = run_of("""
        us  :0    5    10
        step:[1   ]
        cpu :[a]
        s7  :   [a       ]
    """)
    longer_span = run_of("""
        us  :0    5    10   15
        step:[1            ]
        cpu :[a]
        s7  :   [a   ]
    """)
    assert (longer_window.pace_ns, longer_window.speed_ns) == (None, 13_000)
    assert (longer_span.pace_ns, longer_span.speed_ns) == (None, 15_000)


def test_of_an_unnumbered_step_the_device_window_alone_counts() -> None:
    run = run_of("""
        us  :0    5    10   15   20   25   30
        cpu :[a]    [op                      ]
        s7  :     [a   ]
    """)
    assert run.steps[0].step.number is None
    assert run.speed_ns == 6_000


def test_where_no_process_has_two_steps_the_averaged_one_tells_the_speed() -> None:
    run = RunAnalyses(
        trace_of(
            [
                Row(Category.ANNOTATION, "ProfilerStep#1", 0, 100, process="first"),
                Row(Category.CPU_OP, "_compile.compile_inner (dynamo_timed)", 1, 90, process="first"),
                Row(Category.ANNOTATION, "ProfilerStep#1", 200, 10, process="second"),
            ]
        )
    )
    assert run.averaged == [1]
    assert run.speed_ns == 10_000


def test_without_any_gpu_work_there_is_no_verdict() -> None:
    run = run_of("""
        us  :0    5    10
        step:[1   ][2   ]
        cpu :[op] [op]
    """)
    assert (run.busiest_device, run.bound, list(run.bounds)) == (None, None, [])
    assert run.speed_ns == 6_000


def test_the_bubble_of_a_step_sums_over_its_devices() -> None:
    run = run_of("""
        us   :0    5    10   15   20   25
        step :[1                          ]
        cpu  :[a][b][sync     ][c][d]
        s7   :      [a    ]        [c]
        d1.s7:      [b      ]         [d]
    """)
    by_device = [gpu.idle.by_cause["sync_bubble"] for gpu in run.steps[0].gpu]
    assert by_device == [8000, 9000]
    assert run.steps[0].bubble_ns == 17_000


def test_every_figure_is_computed_once() -> None:
    run = run_of(TWO_DEVICES)
    assert run.steps[0].gpu[0].idle is run.steps[0].gpu[0].idle
    assert run.gaps(0) is run.gaps(0)
    assert run.recording.work_of_device(1) is run.recording.work_of_device(1)


ODD_TRACES = {
    "empty": trace_of([]),
    "an instant": trace_of([Row(Category.INSTANT, "i", 5, 0)]),
    "an operator": trace_of([Row(Category.CPU_OP, "aten::mm", 5, 1)]),
    "only a kernel": trace_of([Row(Category.KERNEL, "k", 5, 1, device=0, stream="7")]),
    "only a lost kernel": trace_of([Row(Category.KERNEL, "k", 0, 0, device=0, stream="7")]),
    "only a negative kernel": trace_of([Row(Category.KERNEL, "k", 5, -2, device=0, stream="7")]),
    "a step of length zero": trace_of([Row(Category.ANNOTATION, "ProfilerStep#1", 5, 0)]),
    "a kernel of length zero": draw("""
        us  :0    5
        step:[1   ]
        cpu :[a]
        s7  :    |a
    """),
    "only overhead": trace_of([Row(Category.OVERHEAD, "Buffer Flush", 5, 3)]),
}


@pytest.mark.parametrize("trace", ODD_TRACES.values(), ids=list(ODD_TRACES))
def test_every_figure_of_an_odd_trace_can_be_asked(trace: Trace) -> None:
    ask_everything(RunAnalyses(trace))
