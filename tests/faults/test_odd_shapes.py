"""Traces of shapes that no program has: bounded time all the same, and every answer within its size."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tb_plugin_explain.report.build import explain_run
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.timeline.window import LIMIT_BYTES, Window, render
from tb_plugin_explain.trace.reader import read_trace
from tests.timeline.windows import read_block, store_of

MOST_S = 10.0
Events = list[dict[str, Any]]


def event(
    category: str, name: str, ts: int, dur: int, pid: int = 1, tid: int = 1, **args: Any
) -> dict[str, Any]:
    place = {"pid": pid, "tid": tid, "ts": ts, "dur": dur}
    return {"ph": "X", "cat": category, "name": name, **place, "args": args}


def launch(at: int, correlation: int, stream: int = 7, device: int = 0) -> Events:
    work = {"correlation": correlation, "device": device, "stream": stream}
    return [
        event("cuda_runtime", "cudaLaunchKernel", at, 1, correlation=correlation),
        event("kernel", "k", at + 2, 3, device, stream, **work),
    ]


def threads(n: int) -> Events:
    return [event("cpu_op", "a", i, 1, tid=i) for i in range(n)]


def processes(n: int) -> Events:
    return [event("cpu_op", "a", i, 1, pid=i) for i in range(n)]


def streams(n: int) -> Events:
    return [e for i in range(n) for e in launch(10 * i, i + 1, stream=i)]


def devices(n: int) -> Events:
    return [e for i in range(n // 10) for e in launch(10 * i, i + 1, device=i)]


def depth(n: int) -> Events:
    return [event("cpu_op", "a", i, 2 * n - 2 * i) for i in range(n)]


def crossing(n: int) -> Events:
    return [event("cpu_op", "a", 2 * i, 3 * n + i % 3) for i in range(n)]


def nested_annotations(n: int) -> Events:
    return [event("user_annotation", f"a{i}", i, n) for i in range(n // 10)]


def modules(n: int) -> Events:
    return [event("python_function", f"nn.Module: L_{i}", i, 2 * n - 2 * i) for i in range(n // 2)]


def names(n: int) -> Events:
    return [event("kernel", f"void k{i}<float, {i}>(int)", i, 1, 0, 7, device=0, stream=7) for i in range(n)]


def steps(n: int) -> Events:
    return [event("user_annotation", f"ProfilerStep#{i}", 10 * i, 9) for i in range(n // 3)]


def overlapping_steps(n: int) -> Events:
    return [event("user_annotation", f"ProfilerStep#{i}", i, 10 * n) for i in range(n // 3)]


def one_step_again_and_again(n: int) -> Events:
    return [event("user_annotation", "ProfilerStep#1", 10 * i, 9) for i in range(n // 3)]


def one_correlation(n: int) -> Events:
    return [e for i in range(n // 2) for e in launch(10 * i, 1)]


def collectives(n: int) -> Events:
    told = {"In msg nelems": 5, "dtype": "float", "device": 0}
    name = "ncclDevKernel_AllReduce"
    return [
        event("kernel", name, 2 * i, 3, 0, i % 50, **told, **{"Collective name": f"c{i}"})
        for i in range(n // 3)
    ]


SHAPES: list[Callable[[int], Events]] = [
    *(threads, processes, streams, devices, depth, crossing, nested_annotations, modules, names),
    *(steps, overlapping_steps, one_step_again_and_again, one_correlation, collectives),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_ends(tmp_path: Path, shape: Callable[[int], Events]) -> None:
    """More rows than a picture may have rectangles, where a shape makes rows."""
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": shape(9000 if shape in (threads, depth) else 3000)}))
    began = time.process_time()
    run = RunAnalyses(read_trace(path))
    report = explain_run(run, None, None, None)
    assert [rule.rule for rule in report.rules if rule.outcome == "failed"] == []
    store = store_of(run.trace, tmp_path / "store")
    for window in (Window(-(10**18), 10**18, 1), Window(0, 10**9, 16_384)):
        block = render(store, window)
        assert len(block) <= LIMIT_BYTES
        assert len(read_block(block).start_us) > 0
    assert time.process_time() - began < MOST_S
