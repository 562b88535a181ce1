"""A window over the text of a file: grows at its end, shrinks at its start, knows where it is."""

from __future__ import annotations

import re

from tb_plugin_explain.trace.decompress import PIECE_BYTES, TextStream

_NOT_SPACE = re.compile(rb"[^ \t\r\n]")
_NOT_SPACE_OR_NUL = re.compile(rb"[^ \t\r\n\0]")
_QUOTE_OR_BRACKET = re.compile(rb'["\[\]{}]')
_SCALAR_END = re.compile(rb"[ \t\r\n,\]}]")


# Values nested deeper than this are refused, so that a file of brackets ends soon.
DEEPEST_READ = 250_000


class TooDeep(Exception):
    """A value is nested deeper than ``DEEPEST_READ``."""


class TextWindow:
    """``data`` holds the text from byte ``offset`` on; ``ended`` once the file has no more.

    ``data`` is a bytearray, for which dropping at the start and appending at the end are cheap.
    """

    def __init__(self, stream: TextStream) -> None:
        self.stream = stream
        self.data = bytearray()
        self.offset = 0
        self.ended = False

    @property
    def end(self) -> int:
        """The byte of the text up to which was read."""
        return self.offset + len(self.data)

    def fill(self, size: int) -> None:
        """Read on until ``data`` holds at least ``size`` bytes or the file ends."""
        while len(self.data) < size and not self.ended:
            piece = self.stream.read()
            self.data += piece
            self.ended = not piece

    def drop(self, count: int) -> None:
        """Forget the first ``count`` bytes."""
        del self.data[:count]
        self.offset += count

    def skip_space(self, *, and_nul: bool = False) -> int:
        """Drop white space (and NUL bytes); the byte after it, or -1 at the end of the file."""
        pattern = _NOT_SPACE_OR_NUL if and_nul else _NOT_SPACE
        while True:
            self.fill(1)
            found = pattern.search(self.data)
            self.drop(found.start() if found else len(self.data))
            if found:
                return self.data[0]
            if self.ended:
                return -1


def string_end(data: bytearray, start: int) -> int:
    """Where the string ends whose first character is at ``start``: after its quote, or -1."""
    while (quote := data.find(b'"', start)) >= 0:
        if not _trailing_backslashes(data[start:quote]) % 2:
            return quote + 1
        start = quote + 1
    return -1


def skip_value(text: TextWindow) -> bool:
    """Drop one JSON value of any size, unchecked; false if the text ends inside it.

    Raises TooDeep.
    """
    first = text.skip_space()
    if first not in b'"[{':
        return _skip_scalar(text)
    depth = 0
    while _drop_before(text, _QUOTE_OR_BRACKET):
        token = text.data[0]
        text.drop(1)
        if token == ord('"'):
            if not _skip_string(text):
                return False
        else:
            depth += 1 if token in b"[{" else -1
            if depth > DEEPEST_READ:
                raise TooDeep
        if depth == 0:
            return True
    return False


def _skip_scalar(text: TextWindow) -> bool:
    return _drop_before(text, _SCALAR_END)


def _drop_before(text: TextWindow, pattern: re.Pattern[bytes]) -> bool:
    """Drop everything before the first match; false if the text ends first."""
    while True:
        text.fill(1)
        found = pattern.search(text.data)
        text.drop(found.start() if found else len(text.data))
        if found or text.ended:
            return found is not None


def _skip_string(text: TextWindow) -> bool:
    """Drop the rest of a string whose opening quote was dropped; false if the text ends first."""
    while (end := string_end(text.data, 0)) < 0:
        # A backslash that escapes what is not read yet has to stay.
        text.drop(len(text.data) - _trailing_backslashes(text.data) % 2)
        if text.ended:
            return False
        text.fill(len(text.data) + PIECE_BYTES)
    text.drop(end)
    return True


def _trailing_backslashes(data: bytearray) -> int:
    return len(data) - len(data.rstrip(b"\\"))
