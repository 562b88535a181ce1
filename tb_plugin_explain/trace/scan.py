"""``traceEvents`` → columns: chunks of whole entries at once, damaged places entry by entry."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence

from msgspec import Struct, field

from tb_plugin_explain.trace.columns import Columns
from tb_plugin_explain.trace.entries import (
    BareEntry,
    Entry,
    decode_array,
    decode_one,
)
from tb_plugin_explain.trace.native import NativeScanner
from tb_plugin_explain.trace.text import TextWindow
from tb_plugin_explain.trace.walker import Damage, EntryWalker

CHUNK_BYTES = 1 << 18
_SMALLEST_SPAN = 1 << 13
_MOST_PENDING = 1 << 11
_BOUNDARY = re.compile(rb'\}([ \t\r\n]*,[ \t\r\n]*)\{[ \t\r\n]*"')
_TAIL_BYTES = 1 << 13


class ChunkIndex(Struct):
    """Where in the text the batches of entries lie: parallel lists, in the order of the file."""

    first_ordinals: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)

    def add(self, first_ordinal: int, offset: int) -> None:
        """Note that a batch begins with this entry at this byte of the text."""
        self.first_ordinals.append(first_ordinal)
        self.offsets.append(offset)

    def find(self, ordinal: int) -> tuple[int, int, int]:
        """The first ordinal, first byte and last byte + 1 of the batch that holds an entry."""
        i = bisect_right(self.first_ordinals, ordinal) - 1
        return self.first_ordinals[i], self.offsets[i], self.offsets[i + 1]


def scan_events(
    text: TextWindow,
    columns: Columns,
    damage: Damage,
    *,
    chunk_bytes: int = CHUNK_BYTES,
    on_batch: Callable[[], None] = lambda: None,
    native: NativeScanner | None = None,
) -> tuple[bool, ChunkIndex]:
    """Add the entries of the array in which ``text`` stands to ``columns``.

    native: takes what is plain, if given; what it leaves is decoded here.
    Returns whether the array was closed (else the text broke off), and where the batches lie.
    Raises CannotGoOn where damage leaves no safe way on.
    """
    scanner = _Scanner(text, columns, damage, chunk_bytes, native)
    while scanner.take_native() or scanner.take_chunk() or scanner.take_entry():
        on_batch()
    scanner.flush()
    if native:
        native.finish()
    scanner.index.add(columns.entries, text.offset)
    return scanner.walker.closed, scanner.index


class _Scanner:
    """``span``: how much text is decoded at once; small after damage, then growing again.

    ``damaged_until``: up to this byte of the text entries are taken one by one.
    ``native_from``: from this byte on the native scanner is tried again, after an entry was unclear to it.
    ``unclear_span``: how far that is; small, but the larger the more often it happens.
    """

    def __init__(
        self,
        text: TextWindow,
        columns: Columns,
        damage: Damage,
        chunk_bytes: int,
        native: NativeScanner | None,
    ) -> None:
        self.index = ChunkIndex()
        # What a chunk may hold unseen, in fields that are not read, an entry on its own may hold too: it
        # must not matter where chunks are cut.
        self.walker = EntryWalker(text, damage, lambda entry: decode_array(b"[%b]" % entry) is not None)
        self._text = text
        self._columns = columns
        self._chunk_bytes = self._span = chunk_bytes
        self._pending: list[Entry] = []
        self._pending_offset = 0
        self._damaged_until = 0
        self._native = native
        self._native_from = 0
        self._unclear_span = _SMALLEST_SPAN

    def take_native(self) -> bool:
        """Take entries that are plain; false where the next is none, or where there is no native scanner."""
        text = self._text
        if not self._native or text.offset < self._native_from:
            return False
        self.flush()
        first, offset = self._columns.entries, text.offset
        taken, unclear = self._scan_native(self._native)
        if taken:
            self.index.add(first, offset)
            text.drop(taken)
        if unclear:
            often = taken < self._unclear_span
            self._unclear_span = min(2 * self._unclear_span, CHUNK_BYTES) if often else _SMALLEST_SPAN
            self._native_from = text.offset + self._unclear_span
            self._span = min(self._unclear_span, self._chunk_bytes)
        return taken > 0

    def _scan_native(self, native: NativeScanner) -> tuple[int, bool]:
        size = self._chunk_bytes
        while True:
            self._text.fill(size)
            taken, unclear = native.scan(self._text.data)
            if taken or unclear or self._text.ended or size >= CHUNK_BYTES:
                return taken, unclear
            size *= 2

    def take_chunk(self) -> bool:
        """Take as many whole entries as the span holds; false where that does not work."""
        if self._text.offset < self._damaged_until:
            return False
        self._text.fill(self._span)
        while boundary := last_boundary(self._text.data, self._span):
            end, following = boundary
            if self._add_array(end):
                self._text.drop(following)
                self._span = min(2 * self._span, self._chunk_bytes)
                return True
            if self._span <= _SMALLEST_SPAN:
                self._damaged_until = self._text.offset + end
                return False
            self._span //= 2
        # No place to cut within the span: looking for one again at each entry would take quadratic time.
        self._damaged_until = self._text.offset + min(len(self._text.data), self._span)
        return False

    def take_entry(self) -> bool:
        """Take one entry, mended if need be; false at the end."""
        offset = self._text.offset
        entry = self.walker.next()
        if entry is None:
            return False
        if not self._pending:
            self._pending_offset = offset
        self._pending.append(decode_one(entry) if entry else BareEntry())
        if len(self._pending) >= _MOST_PENDING:
            self.flush()
        return True

    def flush(self) -> None:
        """Hand on the entries that were taken one by one."""
        if self._pending:
            self._add(self._pending, self._pending_offset)
            self._pending = []

    def _add_array(self, end: int) -> bool:
        with memoryview(self._text.data) as view:
            entries = decode_array(b"".join((b"[", view[:end], b"]")))
        if entries is None:
            return False
        self.flush()
        self._add(entries, self._text.offset)
        return True

    def _add(self, entries: Sequence[Entry], offset: int) -> None:
        self.index.add(self._columns.entries, offset)
        self._columns.add(entries)


def last_boundary(data: bytearray, span: int) -> tuple[int, int] | None:
    """End of an entry within the span, and start of the next one: the last such place.

    What looks like a boundary may lie inside a string or an argument; then the text before it is
    no whole array, decoding it fails, and nothing is taken.
    """
    size = min(len(data), span)
    for start in (max(0, size - _TAIL_BYTES), 0):
        last = deque(_BOUNDARY.finditer(data, start, size), maxlen=1)
        if last:
            return last[0].span(1)
    return None
