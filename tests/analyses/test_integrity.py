"""Every problem that limits the trust in a trace, and what is none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tb_plugin_explain.analyses.integrity import find_problems
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Device, ReadProblem, Trace, TraceMeta
from tests.trace_drawing import Row, draw, trace_of

KERNEL = Row(Category.KERNEL, "k", 30, 5, device=0, stream="7")
STEP = Row(Category.ANNOTATION, "ProfilerStep#1", 1, 1000)


def problems_of(trace: Trace) -> dict[str, ReadProblem]:
    run = RunAnalyses(trace)
    problems = find_problems(run.recording, run.launches)
    assert len({p.kind for p in problems}) == len(problems)
    return {p.kind: p for p in problems}


def kinds_of(picture: str) -> list[str]:
    return list(drawn(picture))


def drawn(picture: str) -> dict[str, ReadProblem]:
    return problems_of(draw(picture))


def launch(correlation: int, at_us: float = 10) -> Row:
    return Row(Category.RUNTIME, "cudaLaunchKernel", at_us, 1, correlation=correlation)


def test_a_sound_trace_has_no_problem() -> None:
    assert (
        kinds_of("""
        us  :0    5    10   15   20   25   30
        step:[1               ][2            ]
        cpu :[a]  [b] [sync   ]  [c]
        s7  :   [a ]  [b ]
        s8  :    [a ]              [c]
    """)
        == []
    )


def test_what_reading_found_comes_first() -> None:
    damage = ReadProblem("truncated", 1, {"byte": 77})
    trace = trace_of([], TraceMeta("t.json", 1, problems=(damage,)))
    run = RunAnalyses(trace)
    found = find_problems(run.recording, run.launches)
    assert found[0] == damage
    assert [p.kind for p in found] == ["truncated", "no_events"]


def test_a_trace_without_steps() -> None:
    assert kinds_of("""
        us  :0    5
        cpu :[a]
        s7  :    [a]
    """) == ["no_profiler_step"]


@pytest.mark.parametrize(
    ("devices", "rows", "expected"),
    [
        ((Device(0, "H100"),), [STEP], True),
        ((), [STEP, launch(1)], True),
        ((), [STEP], False),
        ((), [STEP, KERNEL], False),
    ],
)
def test_a_trace_without_gpu_events_where_some_were_due(
    devices: tuple[Device, ...], rows: Sequence[Row], expected: bool
) -> None:
    found = problems_of(trace_of(rows, TraceMeta("t.json", 1, devices=devices)))
    assert ("no_gpu_events" in found) is expected


def test_steps_that_stand_twice_are_counted() -> None:
    found = drawn("""
        us   :0    5    10   15
        step :[1        ]
        step2: [1             ]
        step3:     [1     ]
        cpu  :[a]
        s7   :   [a]
    """)
    assert found["duplicate_step"].count == 2
    assert "overlapping_steps" not in found


def test_steps_of_one_process_that_overlap() -> None:
    found = drawn("""
        us    :0    5    10   15   20
        step  :[1        ]
        step2 :       [2         ]
        step3 :                 [3   ]
        q.step:  [4  ]
    """)
    assert found["overlapping_steps"].count == 2


def test_steps_that_touch_do_not_overlap() -> None:
    assert "overlapping_steps" not in kinds_of("""
        us  :0    5    10
        step:[1   ][2    ]
    """)


def test_a_step_of_length_zero() -> None:
    assert problems_of(trace_of([STEP._replace(duration_us=0)]))["zero_length_step"].count == 1


def test_events_whose_times_were_lost() -> None:
    lost = KERNEL._replace(start_us=0, duration_us=0)
    rows = [
        STEP,
        KERNEL,
        lost,
        lost,
        Row(Category.CPU_OP, "aten::mm", 0, 0),
        Row(Category.INSTANT, "i", 0, 0),
    ]
    found = problems_of(trace_of(rows))["zero_timestamp_events"]
    assert (found.count, found.data) == (3, {"gpu_events": 2})


def test_negative_durations_on_both_sides() -> None:
    rows = [STEP, KERNEL, KERNEL._replace(duration_us=-1), Row(Category.CPU_OP, "aten::mm", 5, -3)]
    assert problems_of(trace_of(rows))["negative_duration"].count == 2


def test_gpu_events_that_begin_before_their_launch_call() -> None:
    found = drawn("""
        us  :0    5    10   15
        step:[1             ]
        cpu :   [a] [b] [copy c]
        s7  :[a]   [b]      [c]
    """)["clock_skew"]
    assert (found.count, found.data) == (2, {"min_latency_us": -3.0})


def test_gpu_events_without_a_launch_are_counted_with_their_time() -> None:
    found = drawn("""
        us  :0    5    10   15
        step:[1             ]
        cpu :[a]
        s7  :   [a] [?  ] [?]
    """)["missing_launch"]
    assert (found.count, found.data["time_us"], found.data["of"]) == (2, 8.0, 3)


def many_launches(lost: int, step: Row = STEP) -> list[Row]:
    calls = [launch(i + 1, 10 + i) for i in range(100)]
    kernels = [KERNEL._replace(start_us=200.0 + 6 * i, correlation=i + 1) for i in range(100 - lost)]
    return [step, *calls, *kernels]


def test_over_a_hundredth_of_the_launches_without_a_gpu_event() -> None:
    assert "missing_kernel" not in problems_of(trace_of(many_launches(1)))
    found = problems_of(trace_of(many_launches(2)))["missing_kernel"]
    assert (found.count, found.data) == (2, {"of": 100})


def test_launches_outside_the_steps_miss_nothing() -> None:
    short = STEP._replace(duration_us=95)  # ends before the last launches begin
    assert "missing_kernel" not in problems_of(trace_of(many_launches(9, short)))


def test_launches_while_a_graph_is_captured_miss_nothing() -> None:
    rows = many_launches(40)
    rows.append(Row(Category.RUNTIME, "cudaStreamBeginCapture", 69, 0.5))
    rows.append(Row(Category.RUNTIME, "cudaStreamEndCapture", 115, 0.5))
    assert "missing_kernel" not in problems_of(trace_of(rows))


def test_a_correlation_that_stands_twice_and_stays_ambiguous() -> None:
    found = problems_of(trace_of([STEP, launch(3), launch(3, 20), KERNEL._replace(correlation=3)]))
    assert found["ambiguous_correlation"].count == 1


def test_several_processes_in_one_file() -> None:
    found = drawn("""
        us    :0    5
        step  :[1     ]
        cpu   : [op]
        q.cpu : [op]
    """)
    assert found["several_processes"].count == 2


def test_devices_and_overhead_are_no_processes() -> None:
    assert "several_processes" not in kinds_of("""
        us      :0    5    10
        step    :[1         ]
        cpu     :[a]
        overhead:    [prof]
        s7      :   [a]
        d1.s7   :   [a]
    """)


def test_kernels_of_one_stream_that_overlap() -> None:
    found = drawn("""
        us  :0    5    10   15
        step:[1              ]
        cpu :[a][b][c]
        s7  :   [a   ]
        s7  :       [b    ]
        s8  :         [c    ]
    """)["same_stream_overlap"]
    assert found.count == 1
    # [3, 7) of a, [7, 14) of b, and c to 16.
    assert found.data["busy_clipped_us"] == 13.0


def test_kernels_of_one_graph_launch_may_overlap() -> None:
    assert (
        kinds_of("""
        us  :0    5    10   15
        step:[1              ]
        cpu :[g]
        s7  :   [g   ]
        s7  :     [g    ]
    """)
        == []
    )


def test_a_kernel_may_overlap_one_that_is_not_its_neighbour() -> None:
    assert kinds_of("""
        us  :0    5    10   15   20
        step:[1                  ]
        cpu :[g][c]
        s7  :       [g          ]
        s7  :         [g]
        s7  :              [c]
    """) == ["same_stream_overlap"]


def test_copies_beside_kernels_do_not_overlap_them() -> None:
    assert (
        kinds_of("""
        us  :0    5    10   15
        step:[1              ]
        cpu :[a][copy c]
        s7  :   [a        ]
        s7  :       [c   ]
    """)
        == []
    )


@pytest.mark.parametrize(("end", "expected"), [(52, False), (53, True)])
def test_a_kernel_that_ends_long_after_a_device_wide_wait(end: int, expected: bool) -> None:
    # The wait returns at 32; the clocks may differ by 20 us.
    rows = [STEP, launch(1), Row(Category.RUNTIME, "cudaDeviceSynchronize", 20, 12)]
    rows.append(KERNEL._replace(start_us=25, duration_us=end - 25, correlation=1))
    assert ("kernel_ends_after_device_sync" in problems_of(trace_of(rows))) is expected


@pytest.mark.parametrize("name", ["cudaStreamSynchronize", "cudaMemcpy"])
def test_a_wait_for_one_stream_says_nothing_of_others(name: str) -> None:
    rows = [STEP, launch(1), Row(Category.RUNTIME, name, 20, 12)]
    rows.append(KERNEL._replace(start_us=25, duration_us=100, correlation=1))
    assert "kernel_ends_after_device_sync" not in problems_of(trace_of(rows))


def test_a_kernel_launched_after_the_wait_began_may_end_whenever_it_likes() -> None:
    rows = [STEP, Row(Category.RUNTIME, "cudaDeviceSynchronize", 20, 12)]
    rows += [launch(1, 22), KERNEL._replace(start_us=25, duration_us=100, correlation=1)]
    assert "kernel_ends_after_device_sync" not in problems_of(trace_of(rows))


@pytest.mark.parametrize(
    ("launching", "waiting", "expected"),
    [
        ("npuLaunch", None, True),
        ("urEnqueueKernelLaunch", None, True),
        ("urEnqueueKernelLaunch", "urQueueFinish", False),
        ("cudaLaunchKernel", None, False),
        ("hipExtModuleLaunchKernel", None, False),
    ],
)
def test_a_platform_whose_waits_are_not_known(launching: str, waiting: str | None, expected: bool) -> None:
    rows = [STEP, launch(1)._replace(name=launching), KERNEL._replace(correlation=1)]
    rows += [Row(Category.RUNTIME, waiting, 50, 5)] if waiting else []
    found = problems_of(trace_of(rows)).get("unknown_vendor_sync_names")
    assert (found is not None) is expected
    assert found is None or (found.count, found.data) == (1, {"example": launching})


@pytest.mark.parametrize(("step", "expected"), [(1, False), (9, False), (11, True)])
def test_operators_whose_numbers_are_missing_were_taken_out(step: int, expected: bool) -> None:
    operators = [Row(Category.CPU_OP, "aten::mm", i, 1, external_id=1 + step * i) for i in range(1000)]
    found = problems_of(trace_of(operators)).get("thinned")
    assert (found is not None) is expected
    assert found is None or (found.count, found.data) == (9990, {"of": 10_990})


def test_few_operators_or_other_processes_prove_nothing() -> None:
    few = [Row(Category.CPU_OP, "aten::mm", i, 1, external_id=1 + 50 * i) for i in range(900)]
    assert "thinned" not in problems_of(trace_of(few))
    whole = [Row(Category.CPU_OP, "aten::mm", i, 1, external_id=1 + i) for i in range(1000)]
    other = [Row(Category.CPU_OP, "aten::mm", 5, 1, process="q", external_id=10**9)]
    assert "thinned" not in problems_of(trace_of([*whole, *other]))
