"""The lane offset of a step, and the exact split of launch latencies."""

from __future__ import annotations

import pytest

from tb_plugin_explain.analyses.launch_latency import PARTS, LaneOffset
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, draw, in_us, trace_of


def offset_of(trace: Trace, step: int = 0) -> LaneOffset:
    return RunAnalyses(trace).steps[step].lane_offset


def first_parts(trace: Trace) -> dict[str, float]:
    offset = offset_of(trace)
    assert offset.first_parts_ns is not None
    assert sum(offset.first_parts_ns) == offset.first_ns
    return in_us(dict(zip(PARTS, offset.first_parts_ns, strict=True)))


def all_parts(trace: Trace, step: int = 0) -> dict[str, float]:
    offset = offset_of(trace, step)
    assert sum(offset.sum_parts_ns) == offset.sum_ns
    return in_us(dict(zip(PARTS, offset.sum_parts_ns, strict=True)))


def launches(*latencies_us: float) -> Trace:
    """One step; kernels launched every 1000 us, each after one latency."""
    rows = [Row(Category.ANNOTATION, "ProfilerStep#1", 1, 1000 * len(latencies_us) + 1000)]
    for i, latency in enumerate(latencies_us):
        at = 1000.0 * (i + 1)
        rows.append(Row(Category.RUNTIME, "cudaLaunchKernel", at, 2, correlation=i + 1))
        rows.append(Row(Category.KERNEL, "k", at + latency, 1, correlation=i + 1, device=0, stream="7"))
    return trace_of(rows)


def test_first_is_the_kernel_that_was_launched_first_not_that_which_ran_first() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        step:[1                   ]
        cpu : [a] [b]
        s7  :            [a ]
        s8  :        [b]
    """)
    offset = offset_of(trace)
    assert offset.first_ns == 11_000


def test_of_kernels_launched_at_once_the_first_is_that_which_started_first() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        step:[1                   ]
        cpu : [a]
        cpu2: [b]
        s7  :            [a ]
        s8  :        [b]
    """)
    offset = offset_of(trace)
    assert offset.first_ns == 7_000


def test_copies_and_memsets_are_no_first_kernel() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25
        step:[1                      ]
        cpu : [copy c] [set d] [a]
        s7  :    [c ]     [d]     [a]
    """)
    offset = offset_of(trace)
    assert offset.first_ns == 3_000


def test_a_kernel_launched_before_the_step_is_not_the_steps() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        step:     [1             ]
        cpu : [a]   [b]
        s7  :       [a ]  [b]
    """)
    offset = offset_of(trace)
    assert offset.first_ns == 6_000


@pytest.mark.parametrize(("width", "end_us"), [("[a         ]", 4), ("[a  ]", -3)])
def test_the_end_is_that_of_the_last_event_against_the_cpu_span_signed(width: str, end_us: int) -> None:
    trace = draw(f"""
        us   :0    5    10
        step :[1        ]
        cpu  :[a][copy c]
        s7   :   {width}
        d1.s7:   [c ]
    """)
    assert offset_of(trace).end_ns == end_us * 1000


def test_the_first_kernel_of_each_launch_and_device_counts_once() -> None:
    trace = draw("""
        us   :0    5    10   15   20
        step :[1                 ]
        cpu  :[a]
        s7   :   [a]   [a]
        d1.s7:     [a]
    """)
    offset = offset_of(trace)
    assert (offset.sum_ns, offset.max_ns) == (3_000 + 5_000, 5_000)


def test_the_median_is_the_mean_of_the_middle_two() -> None:
    assert offset_of(launches(5, 9, 4)).median_ns == 5_000
    assert offset_of(launches(5, 8, 4, 100)).median_ns == 6_500


@pytest.mark.parametrize(("count", "rank"), [(1, 1), (19, 19), (20, 19), (21, 20), (40, 38), (41, 39)])
def test_the_95th_percentile_is_a_recorded_latency(count: int, rank: int) -> None:
    offset = offset_of(launches(*(float(i + 1) for i in reversed(range(count)))))
    assert offset.p95_ns == rank * 1000
    assert offset.max_ns == count * 1000


def test_a_negative_latency_is_shown_as_zero_and_left_out_of_the_percentiles() -> None:
    offset = offset_of(launches(-3, 4, 6))
    assert offset.first_ns == 0
    assert offset.first_parts_ns == (0,) * len(PARTS)
    assert (offset.median_ns, offset.max_ns, offset.sum_ns) == (5_000, 6_000, 10_000)


def test_without_a_launched_kernel_nothing_is_known_but_shares_are_zero() -> None:
    trace = draw("""
        us  :0    5
        step:[1     ]
        cpu :[op  ]
    """)
    offset = offset_of(trace)
    assert (offset.first_ns, offset.end_ns, offset.median_ns, offset.p95_ns, offset.max_ns) == (None,) * 5
    assert (offset.sum_ns, sum(offset.sum_parts_ns)) == (0, 0)


def test_the_call_itself_and_what_no_record_explains() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        step:[1                   ]
        cpu : [a   ]
        s7  :          [a ]
    """)
    assert first_parts(trace) == {"call": 6, "other": 3}


def test_a_kernel_that_starts_inside_the_call_has_only_call_time() -> None:
    trace = draw("""
        us  :0    5    10
        step:[1          ]
        cpu : [a       ]
        s7  :     [a ]
    """)
    assert first_parts(trace) == {"call": 4}


def test_the_queue_reaches_to_the_last_end_on_the_same_stream() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        step:[1                    ]
        cpu : [a]  [b]
        s7  :     [a       ]  [b]
    """)
    assert all_parts(trace) == {"call": 3, "other": 1 + 2, "queue": 9}


def test_another_stream_of_the_device_is_a_dependency_after_queue_and_call() -> None:
    trace = draw("""
        us   :0    5    10   15   20   25
        step :      [1                 ]
        cpu  :[x] [y] [a ]
        s8   :   [x           ]
        d1.s9:                  [y]
        s7   :                   [a]
    """)
    assert first_parts(trace) == {"call": 4, "dependency": 5, "other": 2}


def test_the_order_of_the_causes_is_queue_profiler_loading_call_dependency() -> None:
    trace = draw("""
        us      :0    5    10   15   20   25   30   35   40
        step    :  [1                                   ]
        cpu     :[x][a                         ]
        cpu2    :                 [module    ]
        overhead:        [prof    ]
        s8      :   [x                               ]
        s7      :                                         [a]
        s7      :  [?     ]
    """)
    expected = {"queue": 7, "profiler": 8, "loading": 11, "call": 2, "dependency": 6, "other": 4}
    assert first_parts(trace) == expected


def test_a_full_command_buffer_is_queue_before_all_else() -> None:
    trace = draw("""
        us      :0    5    10   15   20
        step    :[1                     ]
        cpu     : [a              ]
        overhead:    [full     ]
        overhead:       [prof       ]
        s7      :                  [a]
    """)
    assert first_parts(trace) == {"queue": 11, "profiler": 3, "call": 3}


def test_loading_counts_on_any_thread_of_the_launching_process_only() -> None:
    trace = draw("""
        us      :0    5    10   15   20   25   30
        step    :[1                               ]
        cpu     : [a]
        cpu2    :     [module  ]
        q.cpu   :     [module                ]
        overhead:                 [load]
        s7      :                         [a]
    """)
    assert first_parts(trace) == {"call": 3, "loading": 10 + 6, "other": 5}


def test_the_parts_of_all_latencies_leave_out_negative_ones() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        step:[1                    ]
        cpu :      [a] [b ]
        s7  :  [a]           [b]
    """)
    assert all_parts(trace) == {"call": 4, "other": 2}
