"""Every case loads as it should, with its steps and its warnings, or is refused as it should be."""

from __future__ import annotations

import json
import time
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from tb_plugin_explain import runs
from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.report import explain_path
from tb_plugin_explain.wire import to_json
from tests.case_files import CASES, ENDING, INPUTS, Input, assert_steps, case_of, inputs_of, names, report_of

# Warnings of an earlier list that are reasons of a step today.
REASONS_OF_STEPS = {"recompile_in_step": "recompile"}


def test_every_case_is_here(shared_cases: Path) -> None:
    assert names() == sorted(path.name.partition("-")[0] for path in shared_cases.glob(f"*{ENDING}"))
    for path in shared_cases.glob(f"*{ENDING}"):
        assert json.loads(path.read_text()) == json.loads((CASES / path.name).read_text())


@pytest.mark.parametrize("name", names())
def test_a_case_shows_nothing_that_it_must_not(name: str) -> None:
    """Of what must not be: warnings, and texts that a wrong figure would have made."""
    for given in inputs_of(name):
        if given.load == "error":
            continue
        found = report_of(given.path)
        kinds = {warning.kind for warning in found.warnings}
        for wrong in case_of(name).get("must_not", ()):
            words = wrong.split()
            assert not (words[0] == "warning" and words[1] in kinds)
            assert wrong not in to_json(found).decode()


def test_a_recompiled_step_is_not_settled() -> None:
    compiled = CASES / case_of("B54")["input"] / "compiled.1700000000002.pt.trace.json"
    reasons = {step.number: step.unsettled_because for step in report_of(compiled).steps}
    assert reasons == {1: (), 2: (), 3: (REASONS_OF_STEPS["recompile_in_step"],), 4: ()}
    assert report_of(compiled).summary.duration_us == 400.0


@pytest.mark.parametrize("given", INPUTS, ids=lambda i: str(i.path.relative_to(CASES)))
def test_a_file_gives_its_steps_and_warnings_or_its_error(given: Input) -> None:
    if given.load == "error":
        assert given.error is not None
        with pytest.raises(TraceError) as refused:
            report_of(given.path)
        assert refused.value.kind == given.error["kind"]
        assert "\n" not in refused.value.message
        for word in given.error.get("must_mention", ()):
            assert word in refused.value.message
        return
    found = report_of(given.path)
    kinds = {warning.kind for warning in found.warnings}
    assert set(given.warnings) - REASONS_OF_STEPS.keys() <= kinds
    if given.load != "ok_or_error":
        assert found.trace.repaired == (given.load == "ok_repaired")
    assert ("truncated" in kinds) == (given.load == "ok_truncated")
    if given.steps is not None:
        assert_steps(found, given.steps)


@pytest.mark.parametrize("given", INPUTS, ids=lambda i: str(i.path.relative_to(CASES)))
def test_no_rule_fails(given: Input) -> None:
    if given.load != "error":
        assert [(r.rule, r.reason) for r in report_of(given.path).rules if r.outcome == "failed"] == []


@pytest.mark.parametrize("given", INPUTS, ids=lambda i: str(i.path.relative_to(CASES)))
def test_a_cut_file_gives_only_findings_about_trust(given: Input) -> None:
    if given.load != "ok_truncated":
        return
    found = report_of(given.path)
    assert found.headline.verdict == "not_measured"
    assert {finding.rule for finding in found.findings} <= {
        "truncated",
        "no-profiler-step",
        "no-gpu-events",
        "missing-launch",
        "missing-kernel",
        "clock-skew",
    }
    (warning,) = [w for w in found.warnings if w.kind == "truncated"]
    assert f"{warning.data['byte']:,}" in warning.message


# --- Thousands of runs ---


class _Found(Exception):
    """Stops a scan at the first candidate."""


@pytest.fixture(scope="module")
def many_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log directory that B62 describes."""
    plan = json.loads((CASES / case_of("B62")["input"]).read_text())["generate"]
    logdir = tmp_path_factory.mktemp("many")
    good = logdir / "good"
    copyfile(CASES / case_of("B17")["input"], good)
    for i in range(plan["runs"]):
        file = logdir / plan["file"].format(i=i)
        file.parent.mkdir()
        file.hardlink_to(good)
    return logdir


def _refuse(*_: Any, **__: Any) -> None:
    raise AssertionError("a file was opened")


def test_thousands_of_runs_are_listed_by_name_alone(many_runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = case_of("B62")["extra"]
    assert facts["files_opened_by_is_active"] == 0
    monkeypatch.setattr("builtins.open", _refuse)
    monkeypatch.setattr("os.open", _refuse)
    began = time.monotonic()
    found = runs.scan(runs.parse_logdirs(str(many_runs), None))
    took = time.monotonic() - began
    monkeypatch.undo()
    assert len(found.runs) == facts["runs_listed"]
    assert took < facts["run_list_max_seconds"]


def test_the_first_of_thousands_is_found_at_once(many_runs: Path) -> None:
    def stop() -> None:
        raise _Found

    began = time.monotonic()
    with pytest.raises(_Found):
        runs.scan(runs.parse_logdirs(str(many_runs), None), stop)
    assert time.monotonic() - began < case_of("B62")["extra"]["is_active_max_seconds"]


def test_a_file_that_grows_is_read_whole_once_it_is_whole(tmp_path: Path) -> None:
    source, file = CASES / case_of("B61")["input"], tmp_path / "w.1700000000001.pt.trace.json"
    for snapshot, verdict_known in (("snap1", False), ("snap2", True)):
        copyfile(source / snapshot / file.name, file)
        found = explain_path(str(file))
        assert (found.headline.verdict != "not_measured") == verdict_known
    assert_steps(found, case_of("B61")["steps"])
