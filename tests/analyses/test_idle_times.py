"""The intervals behind the idle times are those of the report: same lengths, no overlaps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Trace
from tb_plugin_explain.trace.reader import read_trace
from tb_plugin_explain.trace.spans import unite
from tests.trace_drawing import draw

DRAWN = {
    "late launches": """
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a]    [data  ][b]  [op   ][c]
        s7  :   [a]           [b]          [c]
    """,
    "a wait and its bubble": """
        us  :0    5    10   15   20   25   30
        step:[1                         ]
        cpu :[a][sync    ]   [b]     [c]
        s7  :   [a    ]        [b]      [c]
    """,
    "other streams and the profiler": """
        us      :0    5    10   15   20   25   30
        step    :[1                         ]
        cpu     :[a][b] [c]
        s7      :   [a ]            [c]
        s8      :       [b   ]
        overhead:               [prof]
    """,
}


def assert_same(trace: Trace) -> None:
    run = RunAnalyses(trace)
    for step in run.steps:
        for gpu in step.gpu:
            times = gpu.idle_times
            assert {cause: when.length_ns for cause, when in times.items()} == dict(gpu.idle.by_cause)
            assert unite(*times.values()).length_ns == gpu.idle.idle_ns


@pytest.mark.parametrize("picture", DRAWN.values(), ids=DRAWN.keys())
def test_drawn(picture: str) -> None:
    assert_same(draw(picture))


@pytest.mark.parametrize(
    "name",
    [
        "luatil__trace_04.json.gz",
        "hta__negative_queue_length_values_check_rank0.json.gz",
        "tracelens__h100__google_owlv2-large-patch14-ensemble__1016001.json.gz",
        "hta__cupti_profiler_benchmark_result_924719_1679055439_trace.json.gz",
    ],
)
def test_real_traces(shared_traces: Path, name: str) -> None:
    assert_same(read_trace(str(shared_traces / name)))
