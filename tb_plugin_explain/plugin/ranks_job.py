"""The job that reads the files of all ranks together, as an analysis process does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.report import explain_run
from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.run_report import RunSummary, summarise
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.reader import read_trace

Progress = Callable[[str, float | None], None]


@dataclass(frozen=True)
class Ranks:
    """What the files say together. unread: names of those that are no trace, or too damaged."""

    together: RunSummary
    unread: Sequence[str]


def read_ranks(files: Sequence[Mapping[str, str | None]], on_progress: Progress) -> Ranks:
    """Reads the files of one cycle in turn; each has the path, run, worker and span of a file."""
    reports: list[Report] = []
    unread: list[str] = []
    for done, file in enumerate(files):
        on_progress("reading the ranks", done / len(files))
        path = str(file["path"])
        try:
            reports.append(
                explain_run(RunAnalyses(read_trace(path)), file["run"], file["worker"], file["span"])
            )
        except TraceError:
            unread.append(Path(path).name)
    return Ranks(summarise(str(files[0]["run"]), reports), unread)
