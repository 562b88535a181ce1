"""The causes of single gaps sum to those of the step."""

from __future__ import annotations

import numpy as np

from tb_plugin_explain.step_analyses import GpuStepAnalyses, RunAnalyses
from tb_plugin_explain.trace.model import Trace
from tests.trace_drawing import draw

MANY_CAUSES = draw("""
    us      :0    5    10   15   20   25   30   35   40   45   50   55
    step    :[1                                                      ]
    cpu     :[a] [op  ]  [b]   [sync  ][op][c] [data ][d] [module]  [e]
    s7      :   [a  ]       [b       ]       [c]         [d]  [?]     [e]
    overhead:         [prof]
""")


def gpu_of(trace: Trace) -> GpuStepAnalyses:
    (gpu,) = RunAnalyses(trace).steps[0].gpu
    return gpu


def causes_us(gpu: GpuStepAnalyses, row: int) -> dict[str, float]:
    """The causes of one gap, with what the host did in place of ``host``."""
    causes, host_by = gpu.causes_of_gaps(np.array([row])).sums
    causes.pop("host")
    return {name: time / 1000 for name, time in (causes | host_by).items() if time}


def test_each_gap_has_its_own_causes() -> None:
    gpu = gpu_of(MANY_CAUSES)
    starts = (gpu.gaps.start_ns // 1000).tolist()
    assert starts[:2] == [0, 8]
    assert causes_us(gpu, 0) == {"launch_call": 3}
    # [8, 15): an operator, and from 9 on the profiler, launch call or not.
    assert causes_us(gpu, 1) == {"op_dispatch": 1, "profiler": 6}


def test_the_causes_of_all_gaps_sum_to_those_of_the_step() -> None:
    gpu = gpu_of(MANY_CAUSES)
    causes = gpu.causes_of_gaps(gpu.gaps.length_ns > 0)
    assert causes.sums == (gpu.idle.by_cause, gpu.idle.host_by)
    assert (causes.by_cause.sum(axis=1) == gpu.gaps.length_ns).all()


def test_where_no_event_of_the_launching_thread_stands_the_stepping_thread_decides() -> None:
    gpu = gpu_of(
        draw("""
        us  :0    5    10   15   20   25
        step:[1                         ]
        cpu :[a]   [data    ]
        cpu2:                [b]
        s7  :   [a]            [b]
    """)
    )
    assert causes_us(gpu, 1)["input"] == 10


def test_some_gaps_in_any_order_have_the_causes_that_they_have_among_all() -> None:
    gpu = gpu_of(MANY_CAUSES)
    count = len(gpu.gaps.start_ns)
    whole, some = gpu.causes_of_gaps(np.ones(count, np.bool_)), np.arange(count)[::-2]
    found = gpu.causes_of_gaps(np.searchsorted(gpu.gaps.end_ns, gpu.gaps.end_ns[some]))
    assert found.by_cause.tolist() == whole.by_cause[some].tolist()
    assert found.host_by.tolist() == whole.host_by[some].tolist()
