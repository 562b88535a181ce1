"""Steps, and which step an instant belongs to."""

from __future__ import annotations

import numpy as np

from tb_plugin_explain.trace.model import Category, Trace
from tb_plugin_explain.trace.steps import ProfilerStep, StepWindows, find_steps
from tests.trace_drawing import Row, draw, rows_of, trace_of


def spans_of(trace: Trace) -> list[tuple[int | None, float, float]]:
    return [(s.number, s.start_ns / 1000, s.end_ns / 1000) for s in find_steps(trace).steps]


def owners(trace: Trace, *times_us: int, process: str = "main") -> list[int]:
    windows = StepWindows(trace, find_steps(trace).steps)
    times = np.array(times_us, np.int64) * 1000
    in_process = np.full(len(times), trace.processes.index(process), np.int32)
    return [int(step) for step in windows.owner(times, in_process)]


def test_a_step_is_the_span_of_its_annotation() -> None:
    trace = draw("""
        us  :0    5    10
        step:[5    ] [6  ]
        cpu : [a]
    """)
    assert spans_of(trace) == [(5, 0, 7), (6, 8, 13)]
    first = find_steps(trace).steps[0]
    assert (first.process, first.lane, first.row) == (0, 0, 0)


def test_old_files_have_steps_among_the_operators() -> None:
    row = Row(Category.CPU_OP, "ProfilerStep#3", 5, 10)
    assert spans_of(trace_of([row])) == [(3, 5, 15)]


def test_the_mirror_on_a_gpu_lane_is_no_step() -> None:
    rows = rows_of("""
        us  :0    5
        step:[1    ]
    """)
    rows.append(Row(Category.GPU_ANNOTATION, "ProfilerStep#1", 20, 30, device=0, stream="7"))
    assert spans_of(trace_of(rows)) == [(1, 0, 7)]


def test_only_the_whole_name_makes_a_step() -> None:
    rows = [Row(Category.ANNOTATION, f"{name}", 5, 10) for name in ("ProfilerStep#1x", "my ProfilerStep#1")]
    assert spans_of(trace_of(rows)) == [(None, 5, 15)]


def test_of_one_number_that_overlaps_the_longest_wins() -> None:
    trace = draw("""
        us   :0    5    10   15
        step :[1        ]
        step2: [1             ]
        step3:     [1     ]
    """)
    found = find_steps(trace)
    assert [(s.start_ns, s.end_ns) for s in found.steps] == [(1000, 17000)]
    assert found.duplicates == 2


def test_of_equally_long_ones_the_earlier_wins() -> None:
    trace = draw("""
        us   :0    5    10
        step :  [1     ]
        step2: [1     ]
    """)
    assert spans_of(trace) == [(1, 1, 9)]


def test_the_same_number_later_or_in_another_process_is_another_step() -> None:
    trace = draw("""
        us    :0    5    10
        step  :[1    ][1  ]
        q.step:  [1     ]
    """)
    found = find_steps(trace)
    assert len(found.steps) == 3
    assert found.duplicates == 0


def test_a_lost_annotation_is_no_step() -> None:
    rows = [
        Row(Category.ANNOTATION, "ProfilerStep#1", 0, 0),
        Row(Category.ANNOTATION, "ProfilerStep#2", 3, 4),
    ]
    assert spans_of(trace_of(rows)) == [(2, 3, 7)]


def test_a_negative_duration_gives_a_step_of_length_zero() -> None:
    assert spans_of(trace_of([Row(Category.ANNOTATION, "ProfilerStep#1", 3, -4)])) == [(1, 3, 3)]


def test_an_instant_in_two_windows_belongs_to_the_step_that_began_last() -> None:
    trace = draw("""
        us   :0    5    10   15
        step :[1         ]
        step2:    [2           ]
    """)
    assert owners(trace, 0, 3, 4, 11, 12, 17, 18) == [0, 0, 1, 1, 1, 1, -1]


def test_after_an_inner_step_the_outer_one_goes_on() -> None:
    trace = draw("""
        us   :0    5    10   15
        step :[1             ]
        step2:    [2  ]
    """)
    assert owners(trace, 3, 4, 8, 9, 15, 16) == [0, 1, 1, 0, 0, -1]


def test_a_step_owns_only_instants_of_its_process() -> None:
    trace = draw("""
        us    :0    5    10
        step  :[1       ]
        cpu   : [a]
        q.cpu : [b]
    """)
    assert owners(trace, 2) == [0]
    assert owners(trace, 2, process="q") == [-1]


def test_a_step_whose_process_made_no_call_owns_those_of_all() -> None:
    trace = draw("""
        us    :0    5    10
        step  :[1       ]
        cpu   : [op]
        q.cpu : [b]
    """)
    assert owners(trace, 2, process="q") == [0]


def test_without_steps_the_whole_recording_is_one_end_included() -> None:
    trace = draw("""
        us  :0    5    10
        cpu : [op] [py]
        s7  :        [?   ]
    """)
    assert spans_of(trace) == [(None, 1, 14)]
    assert find_steps(trace).steps[0] == ProfilerStep(1000, 14000)
    assert owners(trace, 0, 1, 14, 15) == [-1, 0, 0, -1]


def test_the_recorded_span_counts_calls_overhead_and_work_but_no_instants() -> None:
    rows = [
        Row(Category.OVERHEAD, "Buffer Flush", 10, 5),
        Row(Category.DRIVER, "cuLaunchKernel", 20, 5),
        Row(Category.INSTANT, "[memory]", 90, 0),
        Row(Category.GPU_ANNOTATION, "nn.Module", 1, 100, device=0, stream="7"),
    ]
    assert spans_of(trace_of(rows)) == [(None, 10, 25)]


def test_lost_gpu_events_do_not_stretch_the_recorded_span() -> None:
    rows = [
        Row(Category.CPU_OP, "aten::mm", 10, 5),
        Row(Category.KERNEL, "gone", 0, 0, device=0, stream="7"),
        Row(Category.KERNEL, "negative", 900, -5, device=0, stream="7"),
    ]
    assert spans_of(trace_of(rows)) == [(None, 10, 15)]


def test_an_empty_trace_has_no_steps() -> None:
    trace = trace_of([])
    assert spans_of(trace) == []
    assert StepWindows(trace, ()).owner_in_any(np.array([5], np.int64)).tolist() == [-1]
