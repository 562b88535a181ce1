"""The sections about who asked for what: their parts sum to the wholes, on every trace there is."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import tb_plugin_explain
from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.report import explain_path
from tb_plugin_explain.report_schema import Report, Step

SAMPLES = sorted((Path(tb_plugin_explain.__file__).parent / "samples").glob("*/*.json*"))
TOLERANCE_US = 0.01


def _same(a: float, b: float) -> None:
    assert a == pytest.approx(b, abs=TOLERANCE_US, rel=1e-9)


def _averaged(report: Report) -> list[Step]:
    """The steps that sums are over; numbers repeat where several processes have steps."""
    numbers = list(report.headline.steps)
    chosen = [s for s in report.steps if s.number in numbers]
    return chosen if len(chosen) == len(numbers) else []


def check_call_sites(report: Report) -> None:
    section, steps = report.call_sites, _averaged(report)
    if section is None:
        assert sum(s.sync.total_us + s.sync.implicit_us for s in steps) == 0
        return
    for site in section.sites:
        _same(site.gpu_busy_us + site.profiler_us + site.gpu_idle_us, site.waiting_us)
        assert 0 <= site.implicit_us <= site.waiting_us + TOLERANCE_US
        assert site.waiting_us <= site.recorded.waiting_us + TOLERANCE_US
        assert site.count <= site.wait_calls
    if not steps:
        return
    waiting = sum(s.waiting_us for s in section.sites) + section.rest.waiting_us
    _same(waiting, sum(s.sync.total_us + s.sync.implicit_us for s in steps))
    if section.rest.bubble_us is not None:
        bubble = sum(s.bubble_us or 0 for s in section.sites) + section.rest.bubble_us
        _same(bubble, sum(s.sync.bubble_us or 0 for s in steps))


def check_operators(report: Report) -> None:
    section = report.operators
    if section is None:
        return
    for row in section.rows:
        assert row.cpu_self_us >= -TOLERANCE_US
        assert row.cpu_self_us <= row.cpu_total_us + TOLERANCE_US
        assert row.calls <= row.recorded.calls
        assert (row.device_self_us or 0) <= (row.device_total_us or 0) + TOLERANCE_US
    if section.device_us is not None:
        attributed = sum(r.device_self_us or 0 for r in section.rows) + (section.rest.device_self_us or 0)
        _same(attributed + (section.unattributed_us or 0), section.device_us)


def check_modules(report: Report) -> None:
    section = report.modules
    assert section is not None
    if not section.rows:
        assert "rows" in section.not_measured
    for row in section.rows:
        assert row.cpu_self_us <= row.cpu_total_us + TOLERANCE_US
        below = [r for r in section.rows if r.path.rpartition("/")[0] == row.path]
        if row.device_total_us is not None and section.rest.paths == 0:
            whole = (row.device_self_us or 0) + sum(r.device_total_us or 0 for r in below)
            _same(whole, row.device_total_us)
    if section.device_us is not None:
        own = sum((r.device_self_us or 0) + (r.backward_self_us or 0) for r in section.rows)
        own += (section.rest.device_self_us or 0) + (section.rest.backward_self_us or 0)
        _same(own + (section.unattributed_us or 0), section.device_us)


def check_annotations(report: Report) -> None:
    section, whole = report.annotations, report.modules.device_us if report.modules else None
    for row in section.rows if section else ():
        assert row.count <= row.recorded_count
        if whole is not None:
            assert (row.device_us or 0) + (row.backward_us or 0) <= whole + TOLERANCE_US


def check(report: Report) -> None:
    check_call_sites(report)
    check_operators(report)
    check_modules(report)
    check_annotations(report)


@cache
def _report(path: Path) -> Report:
    return explain_path(str(path))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: "/".join(path.parts[-2:]))
def test_samples(path: Path) -> None:
    check(_report(path))


def test_real_traces(shared_traces: Path) -> None:
    for path in sorted(shared_traces.glob("*.json.gz")):
        try:
            report = explain_path(str(path))
        except TraceError:
            continue
        check(report)


def test_stacks_name_the_line_of_every_read(shared_traces: Path) -> None:
    report = explain_path(
        str(shared_traces / "tracelens__h100__google_owlv2-large-patch14-ensemble__1016001.json.gz")
    )
    assert report.call_sites is not None
    assert {(s.operator, s.module) for s in report.call_sites.sites} == {
        ("aten::copy_", None), ("aten::copy_", "Owlv2ForObjectDetection_0"), (None, None),
    }  # fmt: skip
    assert all(site.source for site in report.call_sites.sites)


def test_the_backward_thread_leads_to_the_module(shared_traces: Path) -> None:
    name = "tracelens__perf_model__normalization__normalization_layer_test.json.gz"
    report = explain_path(str(shared_traces / name))
    assert report.call_sites is not None
    backward = [s for s in report.call_sites.sites if s.phase == "backward"]
    assert backward
    assert all((s.module or "").startswith("Net_0/") and s.source for s in backward)
