"""How much the cache directory may hold, and what goes first: what was used longest ago.

``reports/`` holds answers (files), ``timelines/`` stores (directories). Several TensorBoards may share it:
anything may vanish at any time. Only entries of our names are ever removed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tb_plugin_explain.timeline.store import UNFINISHED_PREFIX, remove_store

DISK_LIMIT_BYTES = 2**30
REPORTS, TIMELINES = "reports", "timelines"
# Where timelines would go if there is no place for them: nothing can be written below it.
NOWHERE = Path(os.devnull)
_ANSWER = re.compile(r"[0-9a-f]{64}\.json\.gz")
_STORE = re.compile(r"[0-9a-f]{64}")
_UNFINISHED_KEPT_S = 3600.0
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


class _Entry(NamedTuple):
    used_s: float
    bytes: int
    path: Path


def remove(path: Path | str) -> None:
    """Removes a file, if it is there and may be removed."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def write_with_room(root: Path, write: Callable[[], None]) -> None:
    """Writes; on a full disk, once more after half of what is kept has gone.

    Raises:
        OSError: it cannot be written.
    """
    try:
        write()
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        make_room(root, sum(entry.bytes for entry in _all_entries(root)) // 2)
        write()


def make_room(root: Path, limit_bytes: int = DISK_LIMIT_BYTES) -> None:
    """Removes what was used longest ago, and what a killed process left unfinished.

    The timeline that was used last stays, also where it alone is larger than the limit: somebody looks
    at it.
    """
    answers = list(_entries(root / REPORTS, _ANSWER))
    stores = sorted(_entries(root / TIMELINES, _STORE))
    surplus_bytes = sum(entry.bytes for entry in (*answers, *stores)) - limit_bytes
    for entry in sorted([*answers, *stores[:-1]]):
        if surplus_bytes <= 0:
            return
        if entry.path.parent.name == TIMELINES:
            remove_store(entry.path)
        else:
            remove(entry.path)
        surplus_bytes -= entry.bytes


def _all_entries(root: Path) -> Iterator[_Entry]:
    yield from _entries(root / REPORTS, _ANSWER)
    yield from _entries(root / TIMELINES, _STORE)


def _entries(directory: Path, ours: re.Pattern[str]) -> Iterator[_Entry]:
    """What is ours in a directory; removes what was left unfinished long ago."""
    abandoned_s = time.time() - _UNFINISHED_KEPT_S
    for path in _listed(directory):
        with contextlib.suppress(OSError):
            status = path.stat()
            if ours.fullmatch(path.name):
                yield _Entry(status.st_mtime, _size_bytes(path), path)
            elif path.name.startswith(UNFINISHED_PREFIX) and status.st_mtime < abandoned_s:
                shutil.rmtree(path) if path.is_dir() else remove(path)


def _listed(directory: Path) -> list[Path]:
    try:
        return list(directory.iterdir())
    except OSError:
        return []


def _size_bytes(path: Path) -> int:
    if not path.is_dir():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.iterdir())
