"""Finished answers on disk and in memory, so that a trace is analysed once.

A file of the disk cache is the gzipped JSON of one whole answer, named by its key.
Several TensorBoards may share the directory: files appear by ``os.replace`` and any may vanish.
Whatever goes wrong with the disk costs time, never an answer.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import logging
import os
import tempfile
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct

from tb_plugin_explain import __version__
from tb_plugin_explain.plugin.room import DISK_LIMIT_BYTES, REPORTS, make_room, remove, write_with_room
from tb_plugin_explain.report_schema import SCHEMA_VERSION
from tb_plugin_explain.runs import TraceFile
from tb_plugin_explain.timeline.store import UNFINISHED_PREFIX
from tb_plugin_explain.wire import ErrorInfo

MEMORY_LIMIT_BYTES = 32 * 2**20
_ERRORS_KEPT = 1000
# Every answer that is kept begins so; anything else was put there by somebody else.
_BEGIN = b"{"

_logger = logging.getLogger("tensorboard.plugins.explain")


class Body(Struct, frozen=True):
    """One answer, gzipped; ``etag`` is a digest of its bytes. ``ends_s``: of the monotonic clock."""

    gzipped: bytes
    etag: str
    ends_s: float = float("inf")

    @property
    def holds(self) -> bool:
        return time.monotonic() < self.ends_s


def body_of(gzipped: bytes, keep_s: float = float("inf")) -> Body:
    digest = hashlib.blake2b(gzipped, digest_size=16).hexdigest()
    return Body(gzipped, digest, time.monotonic() + keep_s)


@cache
def _program() -> str:
    """A digest of which files the program consists of: two states of one version answer differently."""
    package = Path(__file__).parents[1]
    states = sorted(
        (str(p.relative_to(package)), p.stat().st_size, p.stat().st_mtime_ns) for p in package.rglob("*.py")
    )
    return hashlib.sha256(repr(states).encode()).hexdigest()


def key_of(file: TraceFile) -> str:
    """The digest of what an answer depends on: the file as it is now, our program, the names in it."""
    parts = (
        file.real_path,
        file.inode,
        file.bytes,
        file.modified_ns,
        SCHEMA_VERSION,
        __version__,
        _program(),
        file.run,
        file.file,
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def key_of_pair(baseline: TraceFile, candidate: TraceFile) -> str:
    """The same of a comparison, which depends on two files and on which is which."""
    return hashlib.sha256(repr((key_of(baseline), key_of(candidate))).encode()).hexdigest()


def key_of_names(file: TraceFile) -> str:
    """The same of what a file contains by name."""
    return hashlib.sha256(repr((key_of(file), "names")).encode()).hexdigest()


def key_of_ranks(files: Sequence[TraceFile]) -> str:
    """The same of what the files of several ranks say together."""
    return hashlib.sha256(repr(([key_of(file) for file in files], "ranks")).encode()).hexdigest()


class Cache:
    """Answers by key (see ``key_of``); safe to use from several threads and processes.

    directory: files go to ``reports`` below this ``root``; None keeps answers in memory only.
    """

    def __init__(self, directory: Path | None, disk_limit_bytes: int = DISK_LIMIT_BYTES) -> None:
        self.root = directory
        self._directory = directory / REPORTS if directory else None
        self._disk_limit_bytes = disk_limit_bytes
        self._lock = threading.Lock()
        self._memory: OrderedDict[str, Body] = OrderedDict()
        self._errors: OrderedDict[str, tuple[ErrorInfo, float]] = OrderedDict()
        self._complained = False

    def has(self, key: str) -> bool:
        """Whether an answer is at hand, without reading it."""
        kept = self._memory.get(key)
        if kept and kept.holds:
            return True
        path = self._path(key)
        return path is not None and os.path.exists(path)

    def get(self, key: str) -> Body | None:
        """The answer, or None where there is none that can be trusted."""
        with self._lock:
            kept = self._memory.get(key)
            if kept and kept.holds:
                self._memory.move_to_end(key)
                return kept
        body = self._read(key)
        if body:
            self._remember(key, body)
        return body

    def put(self, key: str, gzipped: bytes) -> None:
        self._remember(key, body_of(gzipped))
        if self._directory is None or len(gzipped) > self._disk_limit_bytes:
            return
        try:
            directory, root = self._directory, self._directory.parent
            write_with_room(root, lambda: self._write(directory, key, gzipped))
            make_room(root, self._disk_limit_bytes)
        except OSError as error:
            self._complain(error)

    def put_briefly(self, key: str, gzipped: bytes, keep_s: float) -> None:
        """Keeps an answer in memory only, for at most ``keep_s`` seconds."""
        self._remember(key, body_of(gzipped, keep_s))

    def error(self, key: str) -> ErrorInfo | None:
        """The error that analysing this very state of the file gave, while it is remembered."""
        kept = self._errors.get(key)
        return kept[0] if kept and time.monotonic() < kept[1] else None

    def put_error(self, key: str, error: ErrorInfo, keep_s: float = float("inf")) -> None:
        """Remembers an error, in memory only, for at most ``keep_s`` seconds."""
        with self._lock:
            self._errors[key] = error, time.monotonic() + keep_s
            while len(self._errors) > _ERRORS_KEPT:
                self._errors.popitem(last=False)

    def _path(self, key: str) -> str | None:
        """A string: thousands are asked for at a time, and a Path costs more than the question."""
        return os.path.join(self._directory, _file_name(key)) if self._directory else None

    def _remember(self, key: str, body: Body) -> None:
        with self._lock:
            self._memory[key] = body
            self._memory.move_to_end(key)
            total = sum(len(kept.gzipped) for kept in self._memory.values())
            while total > MEMORY_LIMIT_BYTES and len(self._memory) > 1:
                total -= len(self._memory.popitem(last=False)[1].gzipped)

    def _read(self, key: str) -> Body | None:
        path = self._path(key)
        if path is None:
            return None
        try:
            gzipped = Path(path).read_bytes()
            whole = gzip.decompress(gzipped).startswith(_BEGIN)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            whole = False
        except OSError:
            return None
        if not whole:
            remove(path)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return body_of(gzipped)

    def _write(self, directory: Path, key: str, gzipped: bytes) -> None:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, unfinished = tempfile.mkstemp(prefix=UNFINISHED_PREFIX, dir=directory)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(gzipped)
            os.replace(unfinished, directory / _file_name(key))
        except BaseException:
            remove(unfinished)
            raise

    def _complain(self, error: OSError) -> None:
        if not self._complained:
            self._complained = True
            _logger.warning("Explain keeps reports in memory only: %s", error)


def _file_name(key: str) -> str:
    return f"{key}.json.gz"
