"""The routes by which a reader takes something away: a report as a file, a step as a small trace."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace

from tb_plugin_explain.plugin.answers import (
    Answer,
    Query,
    Route,
    Services,
    error_answer,
    kept_or_asked,
    of_file,
    report_task,
)
from tb_plugin_explain.plugin.cache import key_of
from tb_plugin_explain.plugin.workers import SLICE_JOB, Task
from tb_plugin_explain.runs import TraceFile
from tb_plugin_explain.stored_report import EXPORTS
from tb_plugin_explain.wire import ErrorInfo

_TRACE_ENDING = re.compile(r"(\.pt)?(\.trace)?\.json(\.gz)?$", re.IGNORECASE)


def export(services: Services, query: Query) -> Answer:
    """The report on one file as a file to keep, or how far the report is; asking starts the analysis."""
    form = EXPORTS.get(query.get("format", ""))
    if form is None:
        known = ", ".join(EXPORTS)
        return error_answer(400, "unknown_format", f"The query has no format that is known: {known}.")

    def exported(file: TraceFile) -> Answer | ErrorInfo:
        found = kept_or_asked(services, report_task(services, file))
        if isinstance(found, ErrorInfo) or not found.gzipped:
            return found
        name = f"{_stem(file)}.report.{form.ending}"
        body = form.make(gzip.decompress(found.body))
        return Answer(body, content_type=form.content_type, etag=found.etag, download=name)

    return of_file(services, query, exported)


def cut(services: Services, query: Query) -> Answer:
    """One step of one file as a trace of its own, or how far that is; asking starts it."""
    step = query.get("step", "")
    if not re.fullmatch(r"\d{1,15}", step):
        return error_answer(400, "missing_step", "The query has no number of a step: slice?file=…&step=….")

    def sliced(file: TraceFile) -> Answer | ErrorInfo:
        found = kept_or_asked(services, _slice_task(file, int(step)))
        if isinstance(found, ErrorInfo) or not found.gzipped:
            return found
        return replace(found, download=f"{_stem(file)}.step{int(step)}.json")

    return of_file(services, query, sliced)


def _slice_task(file: TraceFile, step: int) -> Task:
    key = hashlib.sha256(repr((key_of(file), "slice", step)).encode()).hexdigest()
    arguments = {"path": file.path, "step": step}
    return Task(f"{file.id} slice {step}", key, file.file, SLICE_JOB, "slice", arguments)


def _stem(file: TraceFile) -> str:
    return _TRACE_ENDING.sub("", file.file) or "trace"


ROUTES: Mapping[str, Route] = {"/export": export, "/slice": cut}
