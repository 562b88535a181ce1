"""Several files of one run: what they say together."""

from __future__ import annotations

from msgspec.structs import replace

from tb_plugin_explain.report import explain_path
from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.run_report import summarise
from tests.case_files import CASES

TUTORIAL = explain_path(str(CASES / "T01-tutorial-64-cold.json"))


def rank(number: int | None, world_size: int | None) -> Report:
    return replace(TUTORIAL, trace=replace(TUTORIAL.trace, rank=number, world_size=world_size))


def test_ranks_and_verdicts_are_counted() -> None:
    summary = summarise("run", [rank(1, 2), rank(0, 2)])
    assert (summary.name, summary.files, list(summary.ranks), summary.world_size) == ("run", 2, [0, 1], 2)
    assert summary.verdicts == {"host_bound": 2}
    assert summary.warnings == []


def test_ranks_without_a_file_are_told() -> None:
    (warning,) = summarise("run", [rank(0, 8), rank(3, 8)]).warnings
    assert (warning.kind, warning.count) == ("missing_rank", 6)
    assert warning.message == "The job had 8 ranks; without a file here: 6."


def test_files_that_know_no_rank_lack_none() -> None:
    summary = summarise("run", [rank(None, None)])
    assert (list(summary.ranks), summary.world_size, summary.warnings) == ([], None, [])
