"""Shaded times are the report's times."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.timeline.shading import find_shaded
from tb_plugin_explain.trace.reader import read_trace
from tests.timeline.windows import see, store_of
from tests.trace_drawing import draw

WAIT = """
    us      :0    5    10   15   20   25   30
    step    :[1                              ]
    cpu     :[a][sync        ]  [b]
    s7      :   [a   ]             [b]
    overhead:            [prof]
"""


def test_a_wait_is_split_by_what_the_gpu_did() -> None:
    shaded = {(s.cause, s.device): s.when for s in find_shaded(RunAnalyses(draw(WAIT)))}
    times = {
        key[0]: list(zip((s.start_ns // 1000).tolist(), (s.end_ns // 1000).tolist(), strict=True))
        for key, s in shaded.items()
    }
    assert times["wait_gpu_busy"] == [(3, 9)]
    assert times["wait_profiler"] == [(12, 17)]
    assert times["wait_gpu_idle"] == [(9, 12)]
    assert times["profiler_work"] == [(12, 18)]


def test_shades_of_a_window(tmp_path: Path) -> None:
    store = store_of(draw(WAIT), tmp_path / "store")
    block = see(store, 0, 33_000)
    causes = [store.timeline.shades[i].cause for i in block.shade.tolist()]
    found = list(zip(causes, block.shade_start_us.tolist(), block.shade_end_us.tolist(), strict=True))
    assert ("wait_gpu_busy", 3.0, 9.0) in found
    assert ("profiler_work", 12.0, 18.0) in found
    assert set(block.shade_fill.tolist()) == {255}
    wait = next(s for s in store.timeline.shades if s.cause == "wait_gpu_busy")
    assert (wait.lane, wait.device, wait.total_us) == (0, None, 6.0)


@pytest.mark.parametrize(
    "name",
    ["luatil__trace_04.json.gz", "tracelens__h100__google_owlv2-large-patch14-ensemble__1016001.json.gz"],
)
def test_idle_time_is_that_of_the_steps(shared_traces: Path, name: str) -> None:
    run = RunAnalyses(read_trace(str(shared_traces / name)))
    idle = sum(s.when.length_ns for s in find_shaded(run) if s.device is not None)
    assert idle == sum(gpu.idle.idle_ns for step in run.steps for gpu in step.gpu)
