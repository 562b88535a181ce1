"""The whole ``args`` of one event, read from the file again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.trace.decompress import TextStream
from tb_plugin_explain.trace.entries import decode_args, decode_raw
from tb_plugin_explain.trace.model import Ids
from tb_plugin_explain.trace.scan import ChunkIndex
from tb_plugin_explain.trace.text import TextWindow
from tb_plugin_explain.trace.walker import CannotGoOn, Damage, EntryWalker

# Inode, size in bytes, time of modification in ns.
Version = tuple[int, int, int]


class ArgumentReader:
    """Fetches ``args`` by row: finds the row's batch in the text, and the entry in the batch."""

    def __init__(self, stream: TextStream, index: ChunkIndex, ordinals: Ids) -> None:
        self._path = stream.path
        self._version = _version(stream)
        self._index = index
        self._ordinals = ordinals

    def __call__(self, row: int) -> dict[str, Any]:
        """The ``args`` of a row, empty if it has none. Raises TraceError if the file changed."""
        return read_args(self._path, self._version, self._index, int(self._ordinals[row]))

    @property
    def places(self) -> tuple[Sequence[int], Sequence[int]]:
        """First ordinal and first byte of each batch of the text, to be kept; see ``read_args``."""
        return self._index.first_ordinals, self._index.offsets


def read_args(path: str, version: Version, index: ChunkIndex, ordinal: int) -> dict[str, Any]:
    """The ``args`` of the event with this index in ``traceEvents``, empty if it has none.

    version: of the file for which the index was made.

    Raises:
        TraceError: the file changed, or cannot be read.
    """
    first, begin, end = index.find(ordinal)
    with TextStream(path) as stream:
        if _version(stream) != version:
            raise TraceError(
                "unreadable",
                f"{path}: the file has changed since it was read; open it again.",
                file=path,
            )
        text = _text_between(stream, begin, end)
    return _args_at(text, ordinal - first)


def _version(stream: TextStream) -> Version:
    status = stream.status
    return status.st_ino, status.st_size, status.st_mtime_ns


def _text_between(stream: TextStream, begin: int, end: int) -> TextWindow:
    text = TextWindow(stream)
    while text.offset < begin and not text.ended:
        text.fill(1)
        text.drop(min(len(text.data), begin - text.offset))
    text.fill(end - begin)
    del text.data[end - begin :]
    text.ended = True
    return text


def _args_at(text: TextWindow, position: int) -> dict[str, Any]:
    """The ``args`` of one entry of a batch, mended where the decoder does not take it as it stands."""
    entries = decode_raw(b"[%b]" % bytes(text.data.rstrip(b" \t\r\n,]")))
    # One nested too deep to be decoded may still have been skipped over, as one of many.
    args = None if entries is None else decode_args(bytes(entries[position]))
    if args is None:
        args = decode_args(_mended_entry(text, position))
    return args or {}


def _mended_entry(text: TextWindow, position: int) -> bytes:
    """The JSON of one entry of a batch, empty if it was lost."""
    walker = EntryWalker(text, Damage())
    try:
        for _ in range(position):
            walker.next()
        return walker.next() or b""
    except CannotGoOn:
        return b""
