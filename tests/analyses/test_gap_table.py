"""What each gap is called, what stands before it, and how gaps are ordered."""

from __future__ import annotations

from tb_plugin_explain.analyses.gap_table import KINDS, GapTable, by_length, longest, work_before
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Trace
from tests.trace_drawing import draw


def table_of(trace: Trace) -> GapTable:
    [gpu] = RunAnalyses(trace).averaged_gpus
    return gpu.gaps


def kinds(trace: Trace) -> list[str]:
    return [KINDS[k] for k in table_of(trace).kind]


def test_idle_with_work_queued_is_called_so() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a][b]
        s7  :    [a]           [b]
    """)
    assert kinds(trace) == ["cpu", "queued"]
    # The call of b returns at 6.
    assert table_of(trace).queued_ns.tolist() == [1_000, 11_000]


def test_half_a_gap_in_the_queue_is_not_enough() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        step:[1                    ]
        cpu :[a][op ][b]
        s7  :   [a]        [b]
    """)
    table = table_of(trace)
    assert (table.length_ns[1], table.queued_ns[1]) == (8_000, 3_000)
    assert kinds(trace)[1] == "cpu"


def test_a_gap_without_any_event_is_a_hole() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a]             [b]
        s7  :   [a]             [b]
    """)
    assert kinds(trace) == ["cpu", "hole"]
    # From the end of a to the launch of b only the step's own annotation runs.
    assert table_of(trace).hole_ns[1] == 10_000


def test_other_threads_fill_a_hole() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a]             [b]
        cpu2:     [op         ]
        s7  :   [a]             [b]
    """)
    assert kinds(trace)[1] == "cpu"


def test_work_from_before_the_recording_and_lost_launches_are_told_apart() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a]                  [b]
        s7  :   [a]   [?]             [b]
    """)
    assert kinds(trace)[:2] == ["cpu", "launch_not_recorded"]
    leftover = draw("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :       [a]
        s7  :[?]  [?]    [a]
    """)
    assert kinds(leftover) == ["before_recording", "cpu"]


def test_what_ended_before_a_gap() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        step:[1                    ]
        cpu :[a][b][c]
        s7  :   [a]      [c]
        s8  :    [b]
    """)
    run = RunAnalyses(trace)
    table = table_of(trace)
    gpu, names = run.recording.gpu, run.trace.names
    before = work_before(gpu, table)
    assert [names[gpu.name[p]] if p >= 0 else None for p in before] == [None, "kernel_b"]
    assert table.opens.tolist() == [True, False]


def test_gaps_are_ordered_by_length_and_counted_by_class() -> None:
    trace = draw(
        """
        us  :0    5    10   15   20   25   30   35   40   45
        step:[1                                            ]
        cpu :a   b      c                          d
        s7  : a   b      c                          d
    """,
        us=5,
    )
    table = table_of(trace)
    for most in range(6):
        assert (longest(table, most).length_ns / 1000).tolist() == [130, 30, 15, 5][:most]
    assert by_length(table)[:, 2].sum() == table.queued_ns.sum()
    assert (by_length(table)[:, :2] / [1, 1000]).tolist() == [[1, 5], [2, 45], [1, 130], [0, 0], [0, 0]]


def test_no_gpu_work_has_no_gaps() -> None:
    assert RunAnalyses(draw("cpu :[op ]")).averaged_gpus == []
