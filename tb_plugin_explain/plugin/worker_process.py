"""What runs in an analysis process: it reads jobs from its input and writes frames to its output.

A job is one line of JSON: ``job`` (``module:function``), its ``arguments``, the ``field`` of the answer
that holds its result, and the ``memory`` that it may take (see ``trace.memory``). A frame is a kind (one
byte), a length (eight bytes) and that many bytes: ``p`` progress (JSON), ``r`` result (a gzipped answer),
``t`` the same of one that holds for now, and at the end of each job ``d`` done (nothing), or ``e`` error
(JSON of an ``ErrorInfo``).
Nothing of TensorBoard is imported here: a process pays only for what the analysis needs.
"""

from __future__ import annotations

import gzip
import importlib
import json
import os
import queue
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import IO, Any

from msgspec import Struct

from tb_plugin_explain.errors import ExplainError, TraceError
from tb_plugin_explain.trace.memory import limited_memory
from tb_plugin_explain.wire import ErrorInfo, error_info, to_json

OUT_OF_MEMORY = "out_of_memory"
NOT_KEPT = "not_kept"
PROGRESS, RESULT, PASSING_RESULT, DONE, ERROR = b"p", b"r", b"t", b"d", b"e"
_HEADER = struct.Struct(">cQ")
_PROGRESS_EVERY_S = 0.1

Job = Callable[..., Any]


class NotKept(ExplainError):
    """The disk has no place for what a job made."""


class Finished(Struct, frozen=True):
    """What a job may return: its result, and what is to be done once that was sent.

    then: raises NotKept where there was no place for what it made.
    lasts: whether the result would be the same at any other time.
    """

    result: Any
    then: Callable[[], None] = lambda: None
    lasts: bool = True


def main() -> None:
    """Works until the input ends."""
    output = _take_stdout()
    jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(jobs,), daemon=True).start()
    while True:
        for kind, payload in _frames(jobs.get(), _Progress(output)):
            write_frame(output, kind, payload)


def read_frame(stream: IO[bytes]) -> tuple[bytes, bytes] | None:
    """One frame's kind and bytes; None where the stream ended."""
    header = stream.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    kind, length = _HEADER.unpack(header)
    payload = stream.read(length)
    return (kind, payload) if len(payload) == length else None


def write_frame(stream: IO[bytes], kind: bytes, payload: bytes) -> None:
    stream.write(_HEADER.pack(kind, len(payload)))
    stream.write(payload)
    stream.flush()


def ready_answer(field: str, result: Any) -> bytes:
    """The gzipped JSON of the answer that holds a result; equal results give equal bytes."""
    return gzip.compress(b'{"state":"ready",' + to_json(field) + b":" + to_json(result) + b"}", 6, mtime=0)


def _take_stdout() -> IO[bytes]:
    """Keeps the frames' pipe to ourselves, so that nobody's print gets between them."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return output


def _receive(jobs: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Ends the process as soon as the input ends, in the middle of a job too: nobody waits for it."""
    for line in sys.stdin.buffer:
        jobs.put(json.loads(line))
    os._exit(0)


def _frames(job: dict[str, Any], on_progress: _Progress) -> Iterator[tuple[bytes, bytes]]:
    """The result as soon as it is known, then how the job ended."""
    try:
        with limited_memory(**job["memory"]):
            result = _load(job["job"])(**job["arguments"], on_progress=on_progress)
            finished = result if isinstance(result, Finished) else Finished(result)
            made = finished.result
            kind = RESULT if finished.lasts else PASSING_RESULT
            # A job that gives bytes has made a gzipped file of its own.
            yield kind, made if isinstance(made, bytes) else ready_answer(job["field"], made)
            finished.then()
        yield DONE, b""
    except Exception as error:
        yield ERROR, to_json(_error_info(error))


def _error_info(error: Exception) -> ErrorInfo:
    if isinstance(error, TraceError):
        return error_info(error)
    if isinstance(error, MemoryError):
        message = (
            "There is not enough memory to analyse this file: free some, allow more (--explain_max_memory),"
            " cut out one step (tb-explain slice), or record fewer steps."
        )
        return ErrorInfo(OUT_OF_MEMORY, message)
    if isinstance(error, NotKept):
        return ErrorInfo(NOT_KEPT, str(error))
    return _internal_error(error)


def _load(job_name: str) -> Job:
    module, _, function = job_name.partition(":")
    job: Job = getattr(importlib.import_module(module), function)
    return job


def _internal_error(error: Exception) -> ErrorInfo:
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(place.filename)}:{place.lineno}"
    what = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return ErrorInfo("internal", f"The analysis failed in {where} ({what}). Please report this.")


class _Progress:
    """Sends a phase and its share, each change of phase at once, otherwise not too often."""

    def __init__(self, output: IO[bytes]) -> None:
        self._output = output
        self._phase: str | None = None
        self._next_s = 0.0

    def __call__(self, phase: str, share: float | None = None) -> None:
        now = time.monotonic()
        if phase == self._phase and now < self._next_s:
            return
        self._phase, self._next_s = phase, now + _PROGRESS_EVERY_S
        write_frame(self._output, PROGRESS, to_json({"phase": phase, "share": share}))
