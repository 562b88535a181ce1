"""What the profiler's modes recorded, and its own work."""

from __future__ import annotations

from tb_plugin_explain.analyses.profiler_cost import OverheadKind
from tb_plugin_explain.step_analyses import RunAnalyses
from tests.memory_drawing import Mem, remember
from tests.trace_drawing import draw

STEPS = """
    us      :0    5    10   15   20   25   30
    step    :[1      ] [2      ]
    cpu     :[py ][py]  [py ]            [py]
    overhead: [prof    ]        [prof]
"""


def test_records_count_in_the_step_in_which_they_begin() -> None:
    run = RunAnalyses(remember(STEPS, [Mem(1, 1, 5), Mem(2, 1, -5), Mem(12, 1, 5), Mem(28, 1, -5)]))
    assert run.profiler_records["python_frames"].tolist() == [2, 1]
    assert run.profiler_records["memory_events"].tolist() == [2, 1]
    assert run.profiler_records["shape_records"].tolist() == [0, 0]
    assert run.steps[0].profiler_density("python_frames") == 2 / 0.009


def test_overhead_by_name_with_the_steps_in_which_it_begins() -> None:
    run = RunAnalyses(draw(STEPS))
    assert run.profiler_overhead == [OverheadKind("Activity Buffer Request", 2, 16_000, 10_000, [0], 6_000)]
    assert [s.profiler_overhead_ns for s in run.steps] == [8_000, 1_000]
    assert [len(s.profiler_rows) for s in run.steps] == [1, 0]


def test_what_the_profiler_delayed() -> None:
    run = RunAnalyses(
        draw("""
        us      :0    5    10   15   20   25
        step    :[1                   ]
        cpu     :[a] [b]
        overhead:     [prof  ]
        s7      : [a]          [b]
    """)
    )
    assert run.steps[0].profiler_idle_ns == 8_000
    assert run.steps[0].profiler_latency_ns == 8_000


def test_modes_show_in_what_they_leave() -> None:
    assert RunAnalyses(draw(STEPS)).profiler_modes == {
        "with_stack": True,
        "record_shapes": False,
        "profile_memory": False,
    }
    assert RunAnalyses(remember(STEPS, [Mem(1, 1, 5)])).profiler_modes["profile_memory"]
