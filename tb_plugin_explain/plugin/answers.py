"""What routes share: the shape of an answer, what they draw on, and how a file is analysed for them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from tb_plugin_explain.plugin.cache import Cache, key_of
from tb_plugin_explain.plugin.stores import Stores
from tb_plugin_explain.plugin.watcher import RunsWatcher
from tb_plugin_explain.plugin.workers import Queued, Task, WorkerPool, Working
from tb_plugin_explain.runs import TraceFile, as_it_is_now
from tb_plugin_explain.wire import ErrorAnswer, ErrorInfo, to_json

JSON = "application/json"

Query = Mapping[str, str]


class Answer(Struct, frozen=True):
    """What goes back. ``gzipped``: the body is compressed already. ``keep_s``: browsers may keep it.

    download: under which name browsers save it.
    """

    body: bytes
    status: int = 200
    content_type: str = JSON
    gzipped: bool = False
    etag: str | None = None
    keep_s: int = 0
    download: str | None = None


class Services(Struct, frozen=True):
    """What the routes draw on; ``job`` and ``compare_job`` are what analysis processes call."""

    watcher: RunsWatcher
    cache: Cache
    pool: WorkerPool
    static: Path
    job: str
    compare_job: str
    stores: Stores


Route = Callable[[Services, Query], Answer]


class FileError(Struct, frozen=True):
    """A file of which there will be no answer."""

    error: ErrorInfo
    state: str = "error"


def error_answer(status: int, kind: str, message: str) -> Answer:
    """An answer that is an error and nothing else."""
    return Answer(to_json(ErrorAnswer(ErrorInfo(kind, message))), status)


def of_file(services: Services, query: Query, answer: Callable[[TraceFile], Answer | ErrorInfo]) -> Answer:
    """The answer about the file that a query names, as the file is now; what is wrong with it otherwise."""
    scan = services.watcher.latest()
    if scan is None:
        return Answer(to_json(Queued(1)))
    file = scan.by_id.get(query.get("file", ""))
    if file is None:
        return error_answer(404, "unknown_file", "There is no such file in the list of runs; it may be gone.")
    try:
        now = as_it_is_now(file)
    except OSError as error:
        found: Answer | ErrorInfo = not_found(file, error)
    else:
        found = answer(now)
    return Answer(to_json(FileError(named(found, file)))) if isinstance(found, ErrorInfo) else found


def not_found(file: TraceFile, error: OSError) -> ErrorInfo:
    """A file that was there at the last scan and cannot be opened now."""
    reason = "is gone" if isinstance(error, FileNotFoundError) else f"cannot be read ({error.strerror})"
    return ErrorInfo("not_found", f"{file.file} {reason}: reload the list of runs.")


def named(error: ErrorInfo, file: TraceFile) -> ErrorInfo:
    """An error with the name that the page has for the file."""
    return ErrorInfo(error.kind, error.message, file.file, error.position)


def source_of(file: TraceFile) -> Mapping[str, str | None]:
    """What jobs are told of a file."""
    return {"path": file.path, "run": file.run, "worker": file.worker, "span": file.span}


def report_task(services: Services, file: TraceFile) -> Task:
    """The task that makes the report and the timeline of a file."""
    key = key_of(file)
    arguments = {**source_of(file), "store": str(services.stores.path(key))}
    return Task(file.id, key, file.file, services.job, "report", arguments)


def arguments_task(file: TraceFile, event: int, batch: tuple[int, int, int], job: str) -> Task:
    """The task that reads the arguments of one event."""
    return Task(
        id=f"{file.id}/{event}",
        key=hashlib.sha256(f"{key_of(file)}/{event}".encode()).hexdigest(),
        file=file.file,
        job=job,
        field="args",
        arguments={
            "path": file.path,
            "event": event,
            "version": (file.inode, file.bytes, file.modified_ns),
            "batch": batch,
        },
    )


def kept_or_asked(services: Services, task: Task) -> Answer | ErrorInfo:
    """The kept answer of a task, or how far it is.

    Looks at the pool before the cache: what ends in between is then in the cache.
    """
    status = services.pool.status(task.id)
    body = services.cache.get(task.key)
    if body:
        return Answer(body.gzipped, gzipped=True, etag=body.etag)
    return asked(services, task, status)


def asked(services: Services, task: Task, status: Queued | Working | None) -> Answer | ErrorInfo:
    """How far a task is whose answer is not at hand; ``status``: of before that was looked at."""
    if isinstance(status, Working):
        return Answer(to_json(status))
    return services.cache.error(task.key) or Answer(to_json(services.pool.ask(task)))
