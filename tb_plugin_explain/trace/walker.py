"""The entries of ``traceEvents`` one by one, for places where a chunk cannot be decoded at once."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct, field

from tb_plugin_explain.errors import TraceErrorKind
from tb_plugin_explain.trace.repair import BadSyntax, Incomplete, Mender, Repairs
from tb_plugin_explain.trace.text import TextWindow, TooDeep

LARGEST_ENTRY_BYTES = 1 << 24
_NEXT_ENTRY = re.compile(
    rb'\}[ \t\r\n]*,[ \t\r\n]*(?=\{[ \t\r\n]*"(?:ph|cat|name|pid|tid|ts|dur|id|bp|s|args)"[ \t\r\n]*:)'
)
_LOOK_BACK_BYTES = 1 << 12


class CannotGoOn(Exception):
    """Reading has to stop at byte ``offset`` of the text."""

    def __init__(self, kind: TraceErrorKind, offset: int, why: str) -> None:
        super().__init__(why)
        self.kind: TraceErrorKind = kind
        self.offset = offset


class Damage(Struct):
    """What reading had to mend, and the entries that it lost to bad syntax."""

    repairs: Repairs = field(default_factory=Repairs)
    lost_entries: int = 0
    first_lost_offset: int = -1


class EntryWalker:
    """Takes entries off the start of a text window that stands inside an array.

    ``closed`` is true once the array's closing bracket was taken.
    ``reads_as_it_stands`` says of an entry that could be mended whether it needs to be.
    """

    def __init__(
        self,
        text: TextWindow,
        damage: Damage,
        reads_as_it_stands: Callable[[bytes], bool] = lambda _entry: False,
    ) -> None:
        self.closed = False
        self._text = text
        self._damage = damage
        self._reads_as_it_stands = reads_as_it_stands
        self._after_comma = False

    def next(self) -> bytes | None:
        """One entry as valid JSON, empty if it was lost; None at the end of the array or text."""
        first = self._text.skip_space()
        if first == ord("]"):
            self._text.drop(1)
            self.closed = True
            self._damage.repairs.values += self._after_comma
        if first < 0 or self.closed:
            return None
        return self._entry()

    def _entry(self) -> bytes | None:
        text = self._text
        mender = Mender(text.data)
        while True:
            try:
                entry = mender.run(ended=text.ended)
            except Incomplete:
                if text.ended:
                    text.drop(len(text.data))
                    return None
                self._read_more()
            except BadSyntax as bad:
                self._lose(bad.position)
                return b""
            except TooDeep:
                raise CannotGoOn("too_deep", text.offset, "a value is nested too deeply") from None
            else:
                if mender.repairs.total:
                    entry = self._mended(entry, bytes(text.data[: mender.position]), mender.repairs)
                text.drop(mender.position)
                self._take_separator()
                return entry

    def _mended(self, entry: bytes, original: bytes, repairs: Repairs) -> bytes:
        if self._reads_as_it_stands(original):
            return original
        self._damage.repairs.add(repairs)
        return entry

    def _take_separator(self) -> None:
        following = self._text.skip_space()
        self._after_comma = following == ord(",")
        if self._after_comma:
            self._text.drop(1)
        elif following == ord("{"):
            self._damage.repairs.values += 1  # the comma is missing, and only that

    def _read_more(self) -> None:
        """Twice as much each time, so that a long entry is not scanned from its start too often."""
        size = len(self._text.data)
        if size > LARGEST_ENTRY_BYTES:
            raise CannotGoOn("invalid_json", self._text.offset, "one event is longer than 16 MiB")
        self._text.fill(2 * size)

    def _lose(self, position: int) -> None:
        """Go on at the next text that can only be the start of an entry."""
        text, damage = self._text, self._damage
        bad_offset = text.offset + position
        damage.lost_entries += 1
        if damage.lost_entries == 1:
            damage.first_lost_offset = bad_offset
        start = max(1, position - _LOOK_BACK_BYTES)
        while not (found := _NEXT_ENTRY.search(text.data, start)):
            if text.ended:
                raise CannotGoOn("invalid_json", bad_offset, "the JSON is not valid")
            text.drop(max(start, len(text.data) - _LOOK_BACK_BYTES))
            text.fill(len(text.data) + 1)
            start = 0
        text.drop(found.end())
