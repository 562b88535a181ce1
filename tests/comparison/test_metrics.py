"""Each metric on steps whose figures can be counted in the picture."""

from __future__ import annotations

from tb_plugin_explain.comparison.build import make_side
from tb_plugin_explain.comparison.metrics import METRICS, Metric, middle, values
from tb_plugin_explain.comparison.pair import Side
from tb_plugin_explain.step_analyses import StepAnalyses
from tests.trace_drawing import draw

BY_ID = {metric.id: metric for metric in METRICS}
STEPS = """
    us  :0    5    10   15   20   25   30
    step:[1       ][2       ][3       ]
    cpu :[a][b]    [c][d]    [e][f]
    s7  :  [a  ][b]  [c  ][d]  [e  ][f]
"""


# Kernels of one name, so that the steps are alike.
NAMES = dict.fromkeys("abcdef", "kernel")


def side(picture: str) -> Side:
    names = {} if "copy" in picture else NAMES
    return make_side("baseline", draw(picture, us=10, names=names))


def found(of: Side, metric: str) -> list[float]:
    return list(values(of, BY_ID[metric]))


def test_counts_and_busy_time_of_each_step() -> None:
    drawn = side(STEPS)
    assert found(drawn, "step_us") == [100.0] * 3
    assert found(drawn, "gpu_busy_us") == [80.0] * 3
    assert found(drawn, "kernels") == found(drawn, "launches") == [2.0] * 3
    assert found(drawn, "copies") == found(drawn, "copy_bytes") == [0.0] * 3
    assert found(drawn, "first_us") == [20.0] * 3


def test_idle_time_leaves_out_the_window_that_opens_with_the_recording() -> None:
    assert found(side(STEPS), "gpu_idle_us") == [20.0, 20.0]


def test_the_middle_of_the_pace_is_the_pace_of_the_run() -> None:
    drawn = side(STEPS)
    assert middle(drawn, BY_ID["pace_us"]) == (drawn.run.pace_ns or 0) / 1000 == 100.0


def test_a_trace_without_gpu_tells_no_gpu_figure() -> None:
    drawn = side("""
        step:[1       ][2       ]
        cpu :[op ]     [op ]
    """)
    for metric in ("gpu_busy_us", "gpu_idle_us", "bubble_us", "launches", "kernels", "copies", "first_us"):
        assert found(drawn, metric) == []
        assert middle(drawn, BY_ID[metric]) is None
    assert found(drawn, "cpu_busy_us") == [100.0, 100.0]


def test_waits_are_not_busy_time_of_the_cpu() -> None:
    drawn = side("""
        step:[1       ]
        cpu :[a] [wait]
        s7  :  [a ]
    """)
    assert found(drawn, "cpu_busy_us") == [40.0]
    assert found(drawn, "sync_us") == [60.0]


def test_waits_in_other_calls_stand_beside_the_waits() -> None:
    drawn = side("""
        step:[1                                ]
        cpu :[a] [hipMemcpyWithStream] [wait]
        s7  :  [a ]
    """)
    assert found(drawn, "sync_us") == [60.0]
    assert found(drawn, "implicit_sync_us") == [210.0]


def test_a_copy_without_size_leaves_the_bytes_unknown() -> None:
    drawn = side("""
        step:[1       ]
        cpu :[copy a]
        s7  :  [a ]
    """)
    assert found(drawn, "copies") == [1.0]
    assert found(drawn, "copy_bytes") == []


def test_what_a_left_out_step_left_behind_is_not_laid_to_the_next() -> None:
    """Step 2 compiles; its long kernel ends in step 3, whose device period and idle time it moves."""
    drawn = side("""
        us  :0    5    10   15   20   25   30   35   40   45   50   55   60   65   70
        step:[1           ][2           ][3           ][4           ][5           ]
        cpu :[a]           [compile][b]  [c]           [d]           [e]
        s7  : [a ]                   [b             ]   [c ]          [d ][e ]
    """)
    third = next(s for s in drawn.steps if s.step.number == 3)
    fourth = next(s for s in drawn.steps if s.step.number == 4)
    assert 2 not in [s.step.number for s in drawn.steps]
    assert BY_ID["pace_us"].of(third) == 140.0
    assert BY_ID["gpu_idle_us"].of(third) is None
    assert BY_ID["gpu_idle_us"].of(fourth) == 100.0


def test_a_figure_is_computed_once_a_step() -> None:
    asked: list[int] = []

    def of(step: StepAnalyses) -> float:
        asked.append(step.index)
        return float(step.index)

    drawn, metric = side(STEPS), Metric("index", "count", of, "")
    assert [list(values(drawn, metric)), middle(drawn, metric)] == [[0.0, 1.0, 2.0], 1.0]
    assert asked == [0, 1, 2]
