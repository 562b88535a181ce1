"""The routes as functions from a query to an answer, without HTTP: ``docs/http_api.md`` in code.

No route waits: for no scan, no analysis and no lock that is held over one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from tb_plugin_explain import __version__
from tb_plugin_explain.comparison_schema import SideName
from tb_plugin_explain.errors import PASSING_KINDS
from tb_plugin_explain.glossary import Explanation, Term, terms_of, what_is
from tb_plugin_explain.plugin import static_files, timeline_routes
from tb_plugin_explain.plugin.answers import (
    Answer,
    Query,
    Route,
    Services,
    error_answer,
    kept_or_asked,
    named,
    not_found,
    of_file,
    report_task,
    source_of,
)
from tb_plugin_explain.plugin.cache import Cache, key_of, key_of_names, key_of_pair, key_of_ranks
from tb_plugin_explain.plugin.stores import Stores
from tb_plugin_explain.plugin.watcher import RunsWatcher
from tb_plugin_explain.plugin.worker_process import NOT_KEPT, OUT_OF_MEMORY
from tb_plugin_explain.plugin.workers import (
    COMPARE_JOB,
    NAMES_JOB,
    RANKS_JOB,
    REPORT_JOB,
    TOO_SLOW,
    WORKER_DIED,
    Queued,
    Task,
    WorkerPool,
    Working,
)
from tb_plugin_explain.report_schema import SCHEMA_VERSION
from tb_plugin_explain.runs import Scan, TraceFile, as_it_is_now, cycle_of
from tb_plugin_explain.trace.engine import Engine, default_engine
from tb_plugin_explain.wire import ErrorInfo, to_json

_YEAR_S = 365 * 24 * 3600
# Not the file's fault: long enough for the page to get it, short enough to try again once memory is free.
_PASSING_ERRORS = (WORKER_DIED, OUT_OF_MEMORY, NOT_KEPT, *PASSING_KINDS)
_PASSING_KEPT_S = 60.0
# A machine that was busy is faster later; each try may keep a process busy for long.
_TOO_SLOW_KEPT_S = 3600.0
_ERRORS_KEPT_S = {**dict.fromkeys(_PASSING_ERRORS, _PASSING_KEPT_S), TOO_SLOW: _TOO_SLOW_KEPT_S}
# The longest real names, of C++ templates, have some 10,000 characters.
_LONGEST_NAME = 32_768

# Pairs are many more than files, and nobody looks at more than these at a time.
MOST_WAITING_COMPARISONS = 20
# More files at once take minutes; those of the lowest ranks are read.
MOST_RANKS = 64

SIDES: tuple[SideName, SideName] = ("baseline", "candidate")


class FileEntry(Struct, frozen=True):
    id: str
    file: str
    worker: str
    span: str | None
    bytes: int
    modified_s: float
    state: str


class RunEntry(Struct, frozen=True):
    name: str
    files: Sequence[FileEntry]


class RunsAnswer(Struct, frozen=True):
    logdirs: Sequence[str]
    scanned: bool
    runs: Sequence[RunEntry]
    notes: Sequence[str]
    version: str = __version__
    engine: Engine = field(default_factory=default_engine)
    schema: int = SCHEMA_VERSION


class WhatAnswer(Struct, frozen=True):
    explanation: Explanation
    terms: Sequence[Term]
    schema: int = SCHEMA_VERSION


class CompareError(Struct, frozen=True):
    """``side``: whose file the error is about; None where it is about neither alone."""

    error: ErrorInfo
    side: SideName | None
    state: str = "error"


def open_services(
    watcher: RunsWatcher,
    cache: Cache,
    workers: int,
    *,
    max_bytes: int | None = None,
    static: Path = static_files.STATIC,
    job: str = REPORT_JOB,
    compare_job: str = COMPARE_JOB,
) -> Services:
    """Connects a pool to the cache, which keeps what the pool finishes; timelines lie beside it.

    max_bytes: of memory that a process of the pool may take, see ``trace.memory``.
    """

    def keep_error(task: Task, error: ErrorInfo) -> None:
        cache.put_error(task.key, error, _ERRORS_KEPT_S.get(error.kind, float("inf")))

    def keep_result(task: Task, gzipped: bytes, lasts: bool) -> None:
        if lasts:
            cache.put(task.key, gzipped)
        else:
            cache.put_briefly(task.key, gzipped, _PASSING_KEPT_S)

    pool = WorkerPool(workers, keep_result, keep_error, max_bytes=max_bytes)
    return Services(watcher, cache, pool, static, job, compare_job, Stores(cache.root))


def runs(services: Services, _query: Query) -> Answer:
    """All runs with their files, and what is known of each without opening it."""
    scan = services.watcher.latest()
    shown = scan or Scan()
    statuses = services.pool.statuses()
    entries = [
        RunEntry(run.name, [_file_entry(file, _state_of(services, file, statuses)) for file in run.files])
        for run in shown.runs
    ]
    logdirs = [logdir.shown for logdir in services.watcher.logdirs]
    return Answer(to_json(RunsAnswer(logdirs, scan is not None, entries, shown.notes)))


def report(services: Services, query: Query) -> Answer:
    """The report on one file, or how far it is; asking starts the analysis."""
    return of_file(services, query, lambda file: kept_or_asked(services, report_task(services, file)))


def names(services: Services, query: Query) -> Answer:
    """What one file contains, by name, or how far that is; asking starts it."""
    return of_file(services, query, lambda file: kept_or_asked(services, _names_task(file)))


def ranks(services: Services, query: Query) -> Answer:
    """What the files of all ranks of one file's cycle say together; asking starts it."""

    def answer(file: TraceFile) -> Answer | ErrorInfo:
        scan = services.watcher.latest()
        run = next((r for r in scan.runs if file.id in {f.id for f in r.files}), None) if scan else None
        files = []
        for each in cycle_of(file, [] if run is None else run.files)[:MOST_RANKS]:
            try:
                files.append(as_it_is_now(each))
            except OSError as error:
                return not_found(each, error)
        return kept_or_asked(services, _ranks_task(file, files))

    return of_file(services, query, answer)


def compare(services: Services, query: Query) -> Answer:
    """The comparison of two files, or how far it is; asking starts it."""
    return of_pair(services, query, lambda _baseline, _candidate, found: found)


def of_pair(
    services: Services, query: Query, made: Callable[[TraceFile, TraceFile, Answer], Answer]
) -> Answer:
    """What is made of the comparison of the two files that a query names, or how far that is."""
    scan = services.watcher.latest()
    if scan is None:
        return Answer(to_json(Queued(1)))
    sides: dict[SideName, TraceFile] = {}
    for side in SIDES:
        file = scan.by_id.get(query.get(side, ""))
        if file is None:
            message = f"There is no file for the {side} in the list of runs; it may be gone."
            return error_answer(404, "unknown_file", message)
        try:
            sides[side] = as_it_is_now(file)
        except OSError as error:
            return Answer(to_json(CompareError(named(not_found(file, error), file), side)))
    found = kept_or_asked(services, _compare_task(services, **sides))
    if isinstance(found, ErrorInfo):
        return _compare_error(sides, found)
    return made(sides["baseline"], sides["candidate"], found) if found.gzipped else found


def static(services: Services, name: str) -> Answer:
    """A file of the built page."""
    found = static_files.read(services.static, name)
    if found is None:
        return error_answer(404, "unknown_route", "There is no such file.")
    keep_s = _YEAR_S if found.hashed else 0
    return Answer(found.content, content_type=found.content_type, etag=found.etag, keep_s=keep_s)


def what(_services: Services, query: Query) -> Answer:
    """What an event of this name is; reads no file of a run."""
    name = query.get("name", "")
    if not name:
        return error_answer(400, "missing_name", "The query has no name: what?name=…&category=….")
    if len(name) > _LONGEST_NAME:
        return error_answer(400, "name_too_long", f"The name is longer than {_LONGEST_NAME} characters.")
    explanation = what_is(name, query.get("category") or None)
    return Answer(to_json(WhatAnswer(explanation, terms_of(explanation))))


ROUTES: Mapping[str, Route] = {
    "/runs": runs,
    "/report": report,
    "/compare": compare,
    "/names": names,
    "/ranks": ranks,
    "/what": what,
    "/timeline": timeline_routes.timeline,
    "/timeline/window": timeline_routes.window,
    "/timeline/in_view": timeline_routes.in_view,
    "/event": timeline_routes.event,
    "/event/args": timeline_routes.arguments,
    "/search": timeline_routes.search,
}


def _file_entry(file: TraceFile, state: str) -> FileEntry:
    return FileEntry(
        file.id,
        file.file,
        file.worker,
        file.span,
        file.bytes,
        file.modified_ns / 1e9,
        state,
    )


def _state_of(services: Services, file: TraceFile, statuses: Mapping[str, Queued | Working]) -> str:
    key = key_of(file)
    if services.cache.has(key):
        return "ready"
    if services.cache.error(key):
        return "error"
    return statuses[file.id].state if file.id in statuses else "unread"


def _names_task(file: TraceFile) -> Task:
    return Task(f"{file.id} names", key_of_names(file), file.file, NAMES_JOB, "names", source_of(file))


def _ranks_task(file: TraceFile, files: Sequence[TraceFile]) -> Task:
    arguments = {"files": [source_of(each) for each in files]}
    return Task(
        f"{file.id} ranks",
        key_of_ranks(files),
        file.file,
        RANKS_JOB,
        "ranks",
        arguments,
        files=len(files),
    )


def _compare_task(services: Services, baseline: TraceFile, candidate: TraceFile) -> Task:
    return Task(
        id=f"{baseline.id} {candidate.id}",
        key=key_of_pair(baseline, candidate),
        file=f"{baseline.file} and {candidate.file}",
        job=services.compare_job,
        field="comparison",
        arguments={"baseline": source_of(baseline), "candidate": source_of(candidate)},
        most_waiting=MOST_WAITING_COMPARISONS,
        files=2,
    )


def _compare_error(sides: Mapping[SideName, TraceFile], error: ErrorInfo) -> Answer:
    """An error of the analysis names the file by its path; one of the process, none."""
    for side, file in sides.items():
        if error.file == file.path:
            return Answer(to_json(CompareError(named(error, file), side)))
    return Answer(to_json(CompareError(error, None)))
