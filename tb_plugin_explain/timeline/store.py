"""A timeline on disk: a directory with one file of all columns, read through the page cache, and small JSONs.

A directory appears whole, by renaming, and is never changed. Whoever finds it damaged removes it.
Nothing of the analyses is imported here: a server opens stores.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct

from tb_plugin_explain.timeline.mapped_file import MappedFile
from tb_plugin_explain.timeline.pyramid import Tracks, from_columns, narrowed
from tb_plugin_explain.timeline.schema import Timeline

try:
    from isal.isal_zlib import crc32
except ImportError:
    from zlib import crc32

VERSION = 4
LONGEST_NAME = 256
UNFINISHED_PREFIX = "explain-unfinished-"
_TIMELINE, _COLUMNS, _PLACES, _INDEX = "timeline.json", "columns.bin", "columns.json", "files.json"
# A column begins where any of its types may.
_ALIGNED_BYTES = 8
# How often another process may take the place before we give up.
_RENAMINGS = 3
_CHECKED_BYTES = 1 << 20

Column = npt.NDArray[Any]


class DamagedStore(Exception):
    """What is on disk is no timeline, or not all of one."""


class _Index(Struct, frozen=True):
    """The checksum of every other file of a store."""

    version: int
    files: Mapping[str, int]


class _Place(Struct, frozen=True):
    """Where a column is in the file of all columns; ``begin``: its first byte."""

    dtype: str
    shape: tuple[int, ...]
    begin: int


class Store(Struct, frozen=True, eq=False, dict=True):
    """A timeline that was opened. columns: over the file, see ``build`` and ``tables``.

    Whoever keeps it asks before each use whether the file is as it was opened.
    """

    timeline: Timeline
    file: MappedFile
    columns: Mapping[str, Column]

    @cached_property
    def events(self) -> Tracks:
        return from_columns(self.columns, "event")

    @cached_property
    def shades(self) -> Tracks:
        return from_columns(self.columns, "shade")

    def name(self, number: int) -> str:
        """The text of a name."""
        return self._name_bytes(number).decode("utf-8", "replace")

    def short_name(self, number: int) -> bytes:
        """The first ``LONGEST_NAME`` characters of a name, in UTF-8."""
        text = self._name_bytes(number)
        return text if len(text) <= LONGEST_NAME else text.decode("utf-8", "replace")[:LONGEST_NAME].encode()

    def _name_bytes(self, number: int) -> bytes:
        begin, end = self.columns["name_ends"][number : number + 2].tolist()
        return self.columns["name_bytes"][begin:end].tobytes()

    @cached_property
    def lowered_names(self) -> list[str]:
        """All names in lower case, for searching; decoded when first asked for."""
        ends = self.columns["name_ends"].tolist()
        text = self.columns["name_bytes"].tobytes()
        return [text[begin:end].decode("utf-8", "replace").lower() for begin, end in pairwise(ends)]


def write_store(directory: Path, timeline: bytes, columns: Mapping[str, Column]) -> None:
    """Writes a timeline as ``directory``, unless another process was quicker.

    timeline: the JSON of a ``Timeline``.

    Raises:
        OSError: it cannot be written, for example for want of room; nothing of it stays behind.
    """
    directory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _doomed(directory.parent) as unfinished:
        (unfinished / _TIMELINE).write_bytes(timeline)
        places = _write_columns(unfinished / _COLUMNS, columns)
        (unfinished / _PLACES).write_bytes(msgspec.json.encode(places))
        checksums = {file.name: _checksum(file) for file in unfinished.iterdir()}
        (unfinished / _INDEX).write_bytes(msgspec.json.encode(_Index(VERSION, checksums)))
        _appear(unfinished, directory)


def _write_columns(path: Path, columns: Mapping[str, Column]) -> dict[str, _Place]:
    """Writes the columns one after the other; where each is."""
    places = {}
    with open(path, "wb") as file:
        for name, column in columns.items():
            stored = np.ascontiguousarray(narrowed(column))
            file.write(bytes(-file.tell() % _ALIGNED_BYTES))
            places[name] = _Place(stored.dtype.str, stored.shape, file.tell())
            file.write(stored.data)
    return places


def _appear(unfinished: Path, directory: Path) -> None:
    """Renames a finished directory; where a whole one stands already, that one stays."""
    for _ in range(_RENAMINGS):
        with contextlib.suppress(OSError):
            os.rename(unfinished, directory)
            return
        try:
            open_store(directory)
            return
        except DamagedStore:
            remove_store(directory)
    os.rename(unfinished, directory)


def open_store(directory: Path) -> Store:
    """Maps a timeline into memory.

    Raises:
        DamagedStore: there is none, or it is not whole, or of another version.
    """
    try:
        index = msgspec.json.decode((directory / _INDEX).read_bytes(), type=_Index)
        if index.version != VERSION:
            raise DamagedStore(f"version {index.version}")
        # Opened first, so that it also notices what happens after the checksums were compared.
        file = MappedFile(directory / _COLUMNS)
        for name, checksum in index.files.items():
            if _checksum(directory / name) != checksum:
                raise DamagedStore(f"{name} is not what was written")
        timeline = msgspec.json.decode((directory / _TIMELINE).read_bytes(), type=Timeline)
        places = msgspec.json.decode((directory / _PLACES).read_bytes(), type=dict[str, _Place])
        columns = {name: file.array(place.dtype, place.shape, place.begin) for name, place in places.items()}
        return Store(timeline, file, columns)
    except (OSError, ValueError, TypeError, msgspec.MsgspecError) as error:
        raise DamagedStore(str(error)) from error


def _checksum(path: Path) -> int:
    """CRC-32 of a file, at a tenth of the time that reading it from a disk takes."""
    checksum = 0
    with open(path, "rb") as file:
        while piece := file.read(_CHECKED_BYTES):
            checksum = crc32(piece, checksum)
    return checksum


def remove_store(directory: Path) -> None:
    """Takes a timeline away at once, then its files; who has it open keeps it."""
    with contextlib.suppress(OSError), _doomed(directory.parent) as doomed:
        os.rename(directory, doomed / directory.name)


@contextlib.contextmanager
def _doomed(parent: Path) -> Iterator[Path]:
    """A directory that goes, with all that is still in it, unless it was renamed."""
    path = Path(tempfile.mkdtemp(prefix=UNFINISHED_PREFIX, dir=parent))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
