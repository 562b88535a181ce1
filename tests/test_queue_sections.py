"""On every real trace and sample: queue, gaps and drift agree with the steps, to the nanosecond."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import asdict

import tb_plugin_explain
from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.report.sections import drift, gaps, queue
from tb_plugin_explain.report_sections.gaps import Gaps
from tb_plugin_explain.report_sections.queue import Queue
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.reader import read_trace

SHARED = Path(os.environ.get("EXPLAIN_SHARED", Path(__file__).resolve().parents[2] / "shared"))
SAMPLES = sorted((Path(tb_plugin_explain.__file__).parent / "samples").glob("*/*.json*"))
TRACES = sorted((SHARED / "traces").glob("*.json.gz"))


def ns(time_us: float) -> int:
    return round(time_us * 1000)


def assert_gaps_are_the_idle_time(run: RunAnalyses, section: Gaps) -> None:
    causes, host_by, idle = Counter[str](), Counter[str](), 0
    for i in run.averaged:
        for gpu in run.steps[i].gpu:
            causes.update(gpu.idle.by_cause)
            host_by.update(gpu.idle.host_by)
            idle += gpu.idle.idle_ns
    assert ns(section.duration_us) == idle
    assert {name: ns(t) for name, t in section.causes.items()} == {n: t for n, t in causes.items() if t}
    assert {name: ns(t) for name, t in section.host_by.items()} == {n: t for n, t in host_by.items() if t}
    listed = sum(ns(g.duration_us) for g in section.longest)
    assert listed + ns(section.rest.duration_us) == idle
    assert len(section.longest) + section.rest.count == section.count
    assert sum(ns(c.duration_us) for c in section.by_length) == idle
    lengths = [g.duration_us for g in section.longest]
    assert lengths == sorted(lengths, reverse=True)
    for gap in section.longest:
        assert sum(ns(t) for t in gap.causes.values()) == ns(gap.duration_us)
        assert sum(ns(t) for t in gap.host_by.values()) == ns(gap.causes.get("host", 0.0))
        assert 0 <= gap.queued_us <= gap.duration_us
        assert 0 <= gap.hole_us <= gap.duration_us
        assert (gap.launch is None) == (gap.kind in ("before_recording", "launch_not_recorded"))


def assert_queue_agrees(run: RunAnalyses, section: Queue) -> None:
    parts = [(run.steps[i], gpu) for i in run.averaged for gpu in run.steps[i].gpu if gpu.queue.launches]
    assert len(parts) == len(section.steps) + section.left_out
    for row, (step, gpu) in zip(section.steps, parts, strict=False):
        assert (row.step, row.device) == (step.step.number, gpu.device)
        split = (row.idle_empty_us, row.idle_launching_us, row.idle_queued_us)
        assert min(split) >= 0
        assert sum(map(ns, split)) == gpu.idle.idle_ns
        assert row.late == row.late_before + row.late_after <= row.launches
        assert (row.behind_us is None) == (row.behind_after == row.launches)
        assert row.mean is None or 0 <= row.mean <= row.max
        assert sum(s.launches for s in row.streams) >= row.launches or len(row.streams) == queue.MAX_STREAMS
        assert all(s.max <= row.max for s in row.streams)
        if row.series is not None:
            assert len(row.series) <= 200
            assert max(row.series) <= row.max
    blocked = section.blocked
    assert sum(ns(c.duration_us) for c in blocked.calls) + ns(blocked.rest_us) == ns(blocked.total_us)
    assert 0 <= blocked.device_busy_us <= blocked.total_us


@pytest.mark.parametrize("path", [*SAMPLES, *TRACES], ids=lambda path: path.name)
def test_the_sections_agree_with_the_steps(path: Path) -> None:
    try:
        run = RunAnalyses(read_trace(str(path)))
    except TraceError:
        return
    built_gaps, built_queue, built_drift = gaps.build(run), queue.build(run), drift.build(run)
    assert (built_gaps is None) == (not any(run.steps[i].gpu for i in run.averaged))
    assert (built_queue is None) == (not run.recording.gpu.linked.any())
    if built_gaps is not None:
        assert_gaps_are_the_idle_time(run, built_gaps)
    if built_queue is not None:
        assert_queue_agrees(run, built_queue)
    if built_drift is not None:
        assert 0 <= built_drift.unsettled_us <= built_drift.recorded_us
        series = asdict(built_drift.series).values()
        assert len({len(column) for column in series}) == 1


def test_real_traces_were_there(shared_traces: Path) -> None:
    assert len(list(shared_traces.glob("*.json.gz"))) > 30
