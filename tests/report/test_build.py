"""One trace explained: what the report says of the file, and what it leaves open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tb_plugin_explain.report import explain, explain_path
from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.trace.model import Device
from tb_plugin_explain.wire import to_json
from tests.case_files import CASES, INPUTS, Input
from tests.rules.asking import with_meta
from tests.test_generated_types import mismatches
from tests.trace_drawing import draw

TUTORIAL = CASES / "T01-tutorial-64-cold.json"


def test_the_file_is_described_as_it_describes_itself() -> None:
    trace = with_meta(
        draw("step:[1  ]"), file="logs/eager/a.json", file_bytes=7, devices=(Device(0, "A100"),), rank=1,
        world_size=2, record_shapes=True, versions={"cupti": "22"}, base_time_ns=10**18,
    )  # fmt: skip
    info = explain(trace, run="eager", worker="a", span="12").trace
    assert (info.file, info.run, info.worker, info.span) == ("a.json", "eager", "a", "12")
    assert (info.rank, info.world_size, info.bytes, info.events, info.repaired) == (1, 2, 7, 1, False)
    assert [(d.id, d.name) for d in info.devices] == [(0, "A100")]
    assert (info.recorded.record_shapes, info.recorded.with_stack) == (True, False)
    assert info.versions == {"cupti": "22"}
    assert info.origin_ns == 10**18


def test_progress_hears_the_phases_in_order() -> None:
    heard: list[tuple[str, float | None]] = []
    explain_path(str(TUTORIAL), on_progress=lambda phase, share: heard.append((phase, share)))
    assert heard[-1] == ("analysing", None)
    assert {phase for phase, _ in heard[:-1]} == {"reading"}
    shares = [share for _, share in heard[:-1] if share is not None]
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)


@pytest.mark.parametrize("given", INPUTS, ids=lambda i: str(i.path.relative_to(CASES)))
def test_a_report_is_the_same_each_time_and_holds_the_types_of_its_schema(given: Input) -> None:
    if given.load == "error":
        return
    document = to_json(explain_path(str(given.path)))
    assert document == to_json(explain_path(str(given.path)))
    assert mismatches(json.loads(document), Report, "report") == []


@pytest.mark.parametrize("given", INPUTS, ids=lambda i: str(i.path.relative_to(CASES)))
def test_every_figure_that_is_missing_has_its_reason(given: Input) -> None:
    if given.load == "error":
        return
    for step in explain_path(str(given.path)).steps:
        reasons = step.not_measured
        assert ("period_us" in reasons) == (step.period_us is None)
        assert ("gpu" in reasons) == (step.gpu is None)
        assert ("sync.bubble_us" in reasons) == (step.sync.bubble_us is None)
        assert ("settled" in reasons) == (step.settled is None)
        assert ("cpu_by" in reasons) == (step.cpu_by is None)
        assert ("lane_offset" in reasons) == (step.lane_offset.first_us is None)
        assert ("gpu.period_us" in reasons) == any(gpu.period_us is None for gpu in step.gpu or [])


def test_an_empty_file_gives_a_report_without_figures() -> None:
    report = explain(draw(""))
    assert report.steps == []
    assert report.pace_us is None
    assert report.summary.duration_us is None
    assert report.headline.verdict == "not_measured"
    assert not Path(report.trace.file).is_absolute()
