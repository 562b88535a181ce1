"""The gaps of a device, and which event ended each."""

from __future__ import annotations

from tb_plugin_explain.analyses.gpu_gaps import Gaps
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, draw, rows_of, trace_of


def gaps_of(trace: Trace, device: int = 0) -> Gaps:
    """The gaps of a device after its first event."""
    run = RunAnalyses(trace)
    return run.gaps(device).inside(int(run.recording.gpu.start_ns.min()) + 1, 1_000_000)


def run_of(picture: str) -> RunAnalyses:
    return RunAnalyses(draw(picture))


def gaps_of_drawn(picture: str) -> Gaps:
    return gaps_of(draw(picture))


def edges(gaps: Gaps) -> list[tuple[float, float]]:
    return [(s / 1000, e / 1000) for s, e in zip(gaps.start_ns.tolist(), gaps.end_ns.tolist(), strict=True)]


def next_names(trace: Trace) -> list[str]:
    run = RunAnalyses(trace)
    return [trace.names[run.recording.gpu.name[n]] for n in gaps_of(trace).next.tolist()]


def test_gaps_lie_where_no_stream_of_the_device_ran() -> None:
    trace = draw("""
        us   :0    5    10   15   20
        cpu  :[a][b][c]
        s7   :      [a  ]         [c]
        s8   :         [b    ]
        d1.s7:                [?]
    """)
    assert edges(gaps_of(trace)) == [(16, 20)]


def test_work_of_other_processes_and_without_a_launch_fills_gaps() -> None:
    trace = draw("""
        us   :0    5    10   15   20
        q.cpu:[b]
        cpu  :[a]
        s7   :   [a][b]  [?]   [a]
    """)
    assert edges(gaps_of(trace)) == [(9, 11), (14, 17)]


def test_touching_events_leave_no_gap() -> None:
    trace = draw("""
        us :0    5
        cpu:[a][b]
        s7 :   [a][b]
    """)
    assert edges(gaps_of(trace)) == []


def test_an_event_of_length_zero_ends_a_gap_and_begins_another() -> None:
    trace = draw("""
        us :0    5    10   15
        cpu:[a][b][c]
        s7 :   [a]     |b   [c]
    """)
    assert edges(gaps_of(trace)) == [(6, 11), (11, 16)]
    assert next_names(trace) == ["kernel_b", "kernel_c"]


def test_of_events_that_start_together_the_one_launched_first_ends_the_gap() -> None:
    trace = draw("""
        us :0    5    10   15
        cpu:[x][b][a]
        s7 :   [x]      [a]
        s8 :            [b]
    """)
    assert next_names(trace) == ["kernel_b"]


def test_an_event_without_launch_ends_a_gap_only_where_no_other_starts() -> None:
    together = draw("""
        us :0    5    10   15
        cpu:[x][b]
        s7 :   [x]      [?]
        s8 :            [b]
    """)
    alone = draw("""
        us :0    5    10   15
        cpu:[x][b]
        s7 :   [x]      [?]
        s8 :             [b]
    """)
    assert next_names(together) == ["kernel_b"]
    assert next_names(alone) == ["kernel_unlinked"]
    assert gaps_of(alone).linked.tolist() == [False]


def test_the_launch_call_holds_up_only_its_earliest_event_on_the_device() -> None:
    gaps = gaps_of_drawn("""
        us   :0    5    10   15
        cpu  :[x][g  ]
        s7   :   [x]     [g]  [g]
        d1.s7:              [g]
    """)
    assert gaps.launch_ns.tolist() == [3000, 3000]
    assert gaps.ready_ns.tolist() == [8000, 3000]


def test_on_each_device_a_launch_has_an_earliest_event() -> None:
    trace = draw("""
        us   :0    5    10   15
        cpu  :[x][g  ]
        s7   :   [x]     [g]
        d1.s7:   [x]        [g]
    """)
    assert gaps_of(trace, 1).ready_ns.tolist() == [8000]


def test_two_events_of_one_launch_that_start_together_are_both_its_earliest() -> None:
    gaps = gaps_of_drawn("""
        us :0    5    10   15
        cpu:[x][g  ]
        s7 :   [x]     [g]
        s8 :           [g  ]
    """)
    assert gaps.ready_ns.tolist() == [8000]


def test_a_gap_is_dependent_where_events_ended_at_its_start_none_on_the_next_ones_stream() -> None:
    picture = """
        cpu:[a][b][c]
        s7 :   [a  ]
        s{b} :    [b ]    [?]
        s8 :            [c]
    """
    assert gaps_of(draw(picture.format(b=9))).dependent.tolist()[:1] == [True]
    assert gaps_of(draw(picture.format(b=8))).dependent.tolist()[:1] == [False]


def test_the_stream_of_another_device_is_another_stream() -> None:
    rows = rows_of("""
        us   :0    5    10
        cpu  :[a][c]
        s7   :   [a  ]  [c]
    """)
    assert gaps_of(trace_of(rows)).dependent.tolist() == [False]


def test_a_window_cuts_its_gaps() -> None:
    run = run_of("""
        us :0    5    10   15   20
        cpu:[a][b][c]
        s7 :   [a]    [b]    [c]
    """)
    gaps = run.gaps(0)
    assert edges(gaps.inside(8_000, 15_000)) == [(8, 10), (13, 15)]
    assert edges(gaps.inside(6_000, 14_000)) == [(6, 10), (13, 14)]
    assert edges(gaps.inside(10_000, 13_000)) == []


def test_the_thread_of_the_launch_is_known() -> None:
    trace = draw("""
        us  :0    5    10   15
        cpu :[a]
        cpu2:   [b]
        s7  :   [a]   [b]   [?]
    """)
    gaps = gaps_of(trace)
    assert [trace.lanes[lane].tid if lane >= 0 else None for lane in gaps.lane.tolist()] == ["2", None]


def test_lost_events_end_no_gap() -> None:
    rows = rows_of("""
        us :0    5    10   15
        cpu:[a][b]
        s7 :   [a]       [b]
    """)
    rows.append(Row(Category.KERNEL, "negative", 8, -2, device=0, stream="7"))
    assert edges(gaps_of(trace_of(rows))) == [(6, 13)]
