"""All that is ever made of a trace file, in one call."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console

from tb_plugin_explain.comparison.build import Source, compare_paths
from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.plugin.jobs import event_arguments
from tb_plugin_explain.plugin.names_job import list_names
from tb_plugin_explain.report.build import explain_run
from tb_plugin_explain.report_html import report_page
from tb_plugin_explain.report_markdown import as_markdown
from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.slicing import slice_job
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.text_report import print_report
from tb_plugin_explain.timeline.basis import basis_of
from tb_plugin_explain.timeline.build import build_timeline
from tb_plugin_explain.timeline.event import describe
from tb_plugin_explain.timeline.search import search
from tb_plugin_explain.timeline.store import Store, open_store, write_store
from tb_plugin_explain.timeline.window import Window, render
from tb_plugin_explain.trace.reader import read_trace
from tb_plugin_explain.wire import to_json


def quiet(_phase: str, _share: float | None) -> None:
    pass


def make_everything(path: str, other: str) -> str:
    """Reads a file and makes all of it; ``other`` is a good trace to compare it with.

    Returns "ready", or the kind of the refusal.
    """
    try:
        run = RunAnalyses(read_trace(path))
    except TraceError as error:
        return _told(error)
    report = explain_run(run, "run", "worker", "1")
    _assert_no_rule_failed(report.rules)
    _write(report)
    _show(run, report, path)
    list_names(path, quiet)
    for pair in ((path, other), (other, path)):
        comparison = compare_paths(Source(pair[0]), Source(pair[1]))
        _assert_no_rule_failed(comparison.rules)
        json.loads(to_json(comparison))
    for step in report.steps[:1]:
        if step.number is not None:
            slice_job(path, step.number, quiet)
    return "ready"


def _told(error: TraceError) -> str:
    assert "\n" not in error.message
    return error.kind


def _assert_no_rule_failed(outcomes: Any) -> None:
    """A rule that fails costs no report, and is a fault all the same."""
    assert [outcome for outcome in outcomes if outcome.outcome == "failed"] == []


def _write(report: Report) -> None:
    json.loads(to_json(report))
    as_markdown(report)
    report_page([report])
    print_report(report, Console(file=io.StringIO(), width=100))


def _show(run: RunAnalyses, report: Report, path: str) -> None:
    built = build_timeline(basis_of(run), report.findings)
    with tempfile.TemporaryDirectory() as directory:
        write_store(Path(directory) / "store", to_json(built.timeline), built.columns)
        store = open_store(Path(directory) / "store")
        render(store, Window(-(10**18), 10**18, 800, None))
        render(store, Window(0, 10**6, 16_384, None))
        search(store, "a", 50, 0)
        _describe_some(run, store, path)


def _describe_some(run: RunAnalyses, store: Store, path: str) -> None:
    reader = run.trace.fetch_args
    for ordinal in store.columns["ordinal"][:3].tolist():
        to_json(describe(store, ordinal))
        if reader.__class__.__name__ == "ArgumentReader":
            first, offsets = reader.places  # type: ignore[attr-defined]
            status = Path(path).stat()
            version = status.st_ino, status.st_size, status.st_mtime_ns
            batch = max(i for i, at in enumerate(first[:-1]) if at <= ordinal)
            event_arguments(path, quiet, ordinal, version, (first[batch], offsets[batch], offsets[batch + 1]))
