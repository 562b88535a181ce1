"""What the stepping thread did during a step."""

from __future__ import annotations

from collections.abc import Mapping

from tb_plugin_explain.analyses.step_cpu import PARTS
from tb_plugin_explain.step_analyses import RunAnalyses
from tests.trace_drawing import draw, in_us


def cpu_of(picture: str, step: int = 0) -> Mapping[str, float]:
    analyses = RunAnalyses(draw(picture)).steps[step]
    assert analyses.cpu is not None
    assert tuple(analyses.cpu) == PARTS
    assert sum(analyses.cpu.values()) == analyses.step.duration_ns
    return in_us(analyses.cpu)


def test_the_parts_sum_to_the_duration_of_the_step() -> None:
    assert cpu_of("""
        us  :0    5    10   15   20   25   30   35   40   45   50   55   60   65   70
        step:[1                                                                      ]
        cpu :[data  ][op    ][lookup][opt ][a][malloc][module][wait      ][py ]
        s7  :                                                    [a  ]
    """) == {
        "input": 8,
        "op_dispatch": 8,
        "compile_lookup": 8,
        "optimizer": 6,
        "launch_call": 3,
        "allocator": 8,
        "loading": 8,
        "wait_gpu_busy": 5,
        "wait_gpu_idle": 7,
        "python": 12,
    }


def test_a_wait_is_busy_while_its_process_has_work_on_any_device() -> None:
    assert cpu_of("""
        us   :0    5    10   15   20
        step :[1                    ]
        cpu  :[a][wait        ]
        q.cpu:[b]
        s7   :   [a ]
        d1.s7:       [a ]
        s8   :             [b ]
    """) == {"launch_call": 3, "wait_gpu_busy": 8, "wait_gpu_idle": 6, "python": 6}


def test_other_threads_and_what_lies_outside_the_step_do_not_count() -> None:
    assert cpu_of("""
        us  :0    5    10   15
        step:   [1       ]
        cpu :[op   ]   [wait   ]
        cpu2:    [malloc]
    """) == {"op_dispatch": 4, "wait_gpu_idle": 3, "python": 3}


def test_the_whole_recording_as_one_step_has_no_thread() -> None:
    trace = draw("""
        us  :0    5
        cpu :[op   ]
    """)
    assert RunAnalyses(trace).steps[0].cpu is None
