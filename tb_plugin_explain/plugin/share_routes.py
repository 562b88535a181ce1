"""The routes by which a reader takes something away: reports and comparisons as files, a step as a trace."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Mapping

from msgspec.structs import replace

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
from tb_plugin_explain.plugin.routes import SIDES, of_pair
from tb_plugin_explain.plugin.workers import SLICE_JOB, Task
from tb_plugin_explain.runs import TraceFile
from tb_plugin_explain.stored_report import COMPARISON_EXPORTS, EXPORTS, Export
from tb_plugin_explain.wire import ErrorInfo

_TRACE_ENDING = re.compile(r"(\.pt)?(\.trace)?\.json(\.gz)?$", re.IGNORECASE)


def export(services: Services, query: Query) -> Answer:
    """The report on one file, or the comparison of two, to keep, or how far it is; asking starts it."""
    form = query.get("format", "")
    if form not in EXPORTS:
        known = ", ".join(EXPORTS)
        return error_answer(400, "unknown_format", f"The query has no format that is known: {known}.")
    if any(side in query for side in SIDES):
        return _comparison(services, query, COMPARISON_EXPORTS[form])
    return _report(services, query, EXPORTS[form])


def _report(services: Services, query: Query, form: Export) -> Answer:
    def exported(file: TraceFile) -> Answer | ErrorInfo:
        found = kept_or_asked(services, report_task(services, file))
        if isinstance(found, ErrorInfo) or not found.gzipped:
            return found
        return _made(found, form, f"{_stem(file)}.report")

    return of_file(services, query, exported)


def _comparison(services: Services, query: Query, form: Export) -> Answer:
    def exported(baseline: TraceFile, candidate: TraceFile, found: Answer) -> Answer:
        label = _stem if baseline.run == candidate.run else _run_name
        return _made(found, form, f"{label(baseline)} to {label(candidate)}.comparison")

    return of_pair(services, query, exported)


def _made(found: Answer, form: Export, name: str) -> Answer:
    body = form.make(gzip.decompress(found.body))
    return Answer(body, content_type=form.content_type, etag=found.etag, download=f"{name}.{form.ending}")


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


def _run_name(file: TraceFile) -> str:
    """Names of runs are relative paths."""
    return re.sub(r"[/\\]+", "_", file.run)


def _stem(file: TraceFile) -> str:
    return _TRACE_ENDING.sub("", file.file) or "trace"


ROUTES: Mapping[str, Route] = {"/export": export, "/slice": cut}
