"""The job that reads the files of all ranks together, as an analysis process does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from tb_plugin_explain.errors import PASSING_KINDS, TraceError
from tb_plugin_explain.plugin.worker_process import Finished
from tb_plugin_explain.report import explain_run
from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.run_report import RunSummary, summarise
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.reader import read_trace
from tb_plugin_explain.wire import ErrorInfo

Progress = Callable[[str, float | None], None]


class Ranks(Struct, frozen=True):
    """What the files say together.

    unread: names of those that gave no report. errors: what is wrong with each of these, in their order.
    """

    together: RunSummary
    unread: Sequence[str]
    errors: Sequence[ErrorInfo]


def read_ranks(files: Sequence[Mapping[str, str | None]], on_progress: Progress) -> Finished:
    """Reads the files of one cycle in turn; each has the path, run, worker and span of a file.

    Gives ``Ranks``, for now only where a file may be read another time.
    """
    reports: list[Report] = []
    errors: list[ErrorInfo] = []
    for done, file in enumerate(files):
        on_progress("reading the ranks", done / len(files))
        path = str(file["path"])
        try:
            reports.append(
                explain_run(RunAnalyses(read_trace(path)), file["run"], file["worker"], file["span"])
            )
        except TraceError as error:
            errors.append(ErrorInfo(error.kind, error.message, Path(path).name, error.position))
    unread = [str(error.file) for error in errors]
    lasts = not any(error.kind in PASSING_KINDS for error in errors)
    return Finished(Ranks(summarise(str(files[0]["run"]), reports), unread, errors), lasts=lasts)
