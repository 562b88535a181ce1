"""Finds the end of one JSON value in damaged text, and mends it where the mend is certain.

Mended are: backslashes that start no escape and halves of surrogate pairs; raw control bytes and
bytes that are no UTF-8 in strings; bare NaN, Infinity and N/A; leading zeros; commas before a
closing bracket; nesting deeper than any decoder goes. Everything else is an error with its place:
nothing is guessed. A pushdown automaton over tokens, without recursion.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NoReturn

from msgspec import Struct, field

from tb_plugin_explain.trace.text import DEEPEST_READ, TooDeep, string_end

# Values nested deeper than this are replaced by null; no figure lies that deep.
DEEPEST_KEPT = 100
# Longer strings are not mended, but lost: mending takes many times their memory.
_LONGEST_MENDED_BYTES = 1 << 20

_STRING = rb'"[^"\\\x00-\x1f\x80-\xff]*+"'
_SCALAR = rb"(?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+|true|false|null)"
_SPACE = rb"[ \t\r\n]*+"
_TOKEN = rb"""(?x)%b(?:
      (?P<string>%b)
    | (?P<bracket>[\[\]{}])
    | (?P<comma>,)
    | (?P<colon>:)
    | (?P<scalar>%b(?![^ \t\r\n,:\[\]{}"]))
    | (?P<quote>")
    | (?P<word>[^ \t\r\n,:\[\]{}"]+)
    )""" % (_SPACE, _STRING, _SCALAR)
# Possessive and bounded: neither time nor memory of a match may depend on what a file holds.
_ATOM = rb"%b(?:%b|%b)%b" % (_SPACE, _STRING, _SCALAR, _SPACE)
_FIELD = rb"%b%b%b:%b" % (_SPACE, _STRING, _SPACE, _ATOM)
_FLAT_LIST = rb"%b\[%b(?:,%b){0,999}+\]%b" % (_SPACE, _ATOM, _ATOM, _SPACE)
_FLAT_OBJECT = rb"%b\{%b(?:,%b){0,999}+\}%b" % (_SPACE, _FIELD, _FIELD, _SPACE)
_PLAIN_ELEMENTS = rb"(?:(?:%b|%b|%b),){1,1000}+" % (_ATOM, _FLAT_LIST, _FLAT_OBJECT)
_PLAIN_FIELDS = rb"(?:%b%b%b:(?:%b|%b),){1,1000}+" % (_SPACE, _STRING, _SPACE, _ATOM, _FLAT_LIST)
_ESCAPE = re.compile(
    rb"""\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
    | (?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})
    | \\u[0-9a-fA-F]{4} | \\["\\/bfnrt]
    | (?P<stray>\\)""",
    re.VERBOSE,
)
_NOT_BLANK = re.compile(rb"[^ \t\r\n\0]")
_CONTROL = re.compile(rb"[\x00-\x1f]")
_SHORT_ESCAPES = (b'"', b"/", b"b", b"f", b"n", b"r", b"t")
_LEADING_ZEROS = re.compile(rb"(-?)0+([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_NOT_A_NUMBER = re.compile(rb"[+-]?(?:nan|inf|infinity)|n/a", re.IGNORECASE)

_VALUE, _VALUE_OR_END, _KEY, _KEY_OR_END, _COLON, _COMMA_OR_END, _DONE = range(7)


@cache
def _compiled(pattern: bytes) -> re.Pattern[bytes]:
    """The large ones are compiled when first needed: most files need no repair."""
    return re.compile(pattern)


class Repairs(Struct):
    """What was mended: how many values, and which strings."""

    values: int = 0
    too_deep: int = 0
    control_characters: set[bytes] = field(default_factory=set)
    invalid_utf8: set[bytes] = field(default_factory=set)

    @property
    def total(self) -> int:
        """How many values and strings were mended, of whatever kind."""
        return self.values + self.too_deep + len(self.control_characters) + len(self.invalid_utf8)

    def add(self, other: Repairs) -> None:
        """Count what the mending of one more value needed."""
        self.values += other.values
        self.too_deep += other.too_deep
        self.control_characters |= other.control_characters
        self.invalid_utf8 |= other.invalid_utf8


class Incomplete(Exception):
    """The text ends inside the value."""


class BadSyntax(Exception):
    """The value cannot be mended; ``position`` is where in the data."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class Mender:
    """Takes one JSON value from ``start`` on; ``position`` is how far it came."""

    def __init__(self, data: bytearray, start: int = 0) -> None:
        self.data = data
        self.position = start
        self.repairs = Repairs()
        self._ended = False
        self._copied = start
        self._out: list[bytes] = []
        self._stack = bytearray()
        self._expected = _VALUE
        self._comma = -1

    def run(self, *, ended: bool) -> bytes:
        """The value as valid JSON; ``ended`` if no text follows ``data``.

        Raises BadSyntax, TooDeep, or Incomplete: then run it again once ``data`` has grown.
        """
        self._ended = ended
        while self._expected != _DONE:
            start = self.position
            try:
                self._step()
            except Incomplete:
                self.position = start
                raise
        self._copy(self.position)
        return b"".join(self._out)

    def _step(self) -> None:
        if self._skip_plain():
            return
        found = _compiled(_TOKEN).match(self.data, self.position)
        if not found or found.lastgroup is None:
            self._stop(len(self.data))
        kind = found.lastgroup
        begin, self.position = found.span(kind)
        self._take(kind, begin)

    def _skip_plain(self) -> bool:
        """Step over a run of fields or elements that are right, for speed."""
        if self._expected in (_KEY, _KEY_OR_END):
            plain, follows = _PLAIN_FIELDS, _KEY
        elif self._stack and self._stack[-1] == ord("[") and self._expected != _COMMA_OR_END:
            plain, follows = _PLAIN_ELEMENTS, _VALUE
        else:
            return False
        found = _compiled(plain).match(self.data, self.position)
        if found:
            self.position = found.end()
            self._comma = found.end() - 1
            self._expected = follows
        return found is not None

    def _take(self, kind: str, begin: int) -> None:
        if kind == "string":
            self._string_done(begin)
        elif kind == "bracket":
            self._bracket(begin)
        elif kind == "comma":
            self._comma = begin
            self._expect(begin, _COMMA_OR_END)
            self._expected = _KEY if self._stack[-1] == ord("{") else _VALUE
        elif kind == "colon":
            self._expect(begin, _COLON)
            self._expected = _VALUE
        elif kind == "quote":
            self._odd_string(begin)
            self._string_done(begin)
        else:
            self._scalar(kind, begin)

    def _string_done(self, begin: int) -> None:
        if self._expected in (_KEY, _KEY_OR_END):
            self._expected = _COLON
        else:
            self._value_done(begin)

    def _scalar(self, kind: str, begin: int) -> None:
        if self.position == len(self.data) and (self._stack or not self._ended):
            raise Incomplete  # it may go on in what follows
        if kind == "word":
            word = bytes(self.data[begin : self.position])
            zeros = _LEADING_ZEROS.fullmatch(word)
            if zeros:
                self._replace(begin, zeros[1] + zeros[2])
            elif _NOT_A_NUMBER.fullmatch(word):
                self._replace(begin, b'"%b"' % word)
            else:
                self._stop(begin)
            self.repairs.values += 1
        self._value_done(begin)

    def _bracket(self, begin: int) -> None:
        bracket = self.data[begin]
        if bracket in b"[{":
            self._open(begin, bracket)
        else:
            self._close(begin, ord("[") if bracket == ord("]") else ord("{"))

    def _open(self, begin: int, bracket: int) -> None:
        if self._expected not in (_VALUE, _VALUE_OR_END):
            self._stop(begin)
        self._stack.append(bracket)
        if len(self._stack) > DEEPEST_READ:
            raise TooDeep
        if len(self._stack) == DEEPEST_KEPT:
            self._copy(begin)
        self._expected = _KEY_OR_END if bracket == ord("{") else _VALUE_OR_END

    def _close(self, begin: int, opened: int) -> None:
        if not self._stack or self._stack[-1] != opened:
            self._stop(begin)
        if self._expected in (_KEY, _VALUE) and self._after_comma(begin):
            self._drop_comma()
        elif self._expected not in (_COMMA_OR_END, _KEY_OR_END, _VALUE_OR_END):
            self._stop(begin)
        if len(self._stack) == DEEPEST_KEPT:
            self._out.append(b"null")
            self._copied = self.position
            self.repairs.too_deep += 1
        self._stack.pop()
        self._after_value()

    def _after_comma(self, begin: int) -> bool:
        return self._comma >= 0 and not self.data[self._comma + 1 : begin].strip()

    def _drop_comma(self) -> None:
        self.repairs.values += 1
        if len(self._stack) < DEEPEST_KEPT:
            self._copy(self._comma)
            self._copied = self._comma + 1

    def _value_done(self, begin: int) -> None:
        self._expect(begin, _VALUE, _VALUE_OR_END)
        self._after_value()

    def _after_value(self) -> None:
        self._expected = _COMMA_OR_END if self._stack else _DONE

    def _expect(self, begin: int, *states: int) -> None:
        if self._expected not in states:
            self._stop(begin)

    def _odd_string(self, begin: int) -> None:
        """A string with escapes, control bytes or bytes beyond ASCII."""
        end = string_end(self.data, begin + 1)
        if end < 0:
            raise Incomplete
        self.position = end
        content = bytes(self.data[begin + 1 : end - 1])
        if not _is_valid(content):
            if len(content) > _LONGEST_MENDED_BYTES:
                self._stop(begin)
            self._replace(begin, b'"%b"' % self._mend_string(content))

    def _mend_string(self, content: bytes) -> bytes:
        mended = _ESCAPE.sub(_mend_escape, content)
        self.repairs.values += mended != content
        if _CONTROL.search(mended):
            mended = _CONTROL.sub(lambda m: b"\\u%04x" % m[0][0], mended)
            self.repairs.control_characters.add(content)
        if not _is_utf8(mended):
            mended = mended.decode(errors="replace").encode()
            self.repairs.invalid_utf8.add(content)
        return mended

    def _replace(self, begin: int, text: bytes) -> None:
        if len(self._stack) < DEEPEST_KEPT:
            self._copy(begin)
            self._out.append(text)
            self._copied = self.position

    def _copy(self, end: int) -> None:
        if end > self._copied:
            self._out.append(bytes(self.data[self._copied : end]))
            self._copied = end

    def _stop(self, position: int) -> NoReturn:
        """The text cannot go on like this: it breaks off here, or it is wrong."""
        if _NOT_BLANK.search(self.data, position):
            raise BadSyntax(position)
        raise Incomplete


def _mend_escape(found: re.Match[bytes]) -> bytes:
    if found.lastgroup is None:
        return found[0]
    return b"\\ufffd" if found.lastgroup == "half" else b"\\\\"


def _is_valid(content: bytes) -> bool:
    """Whether the inside of a string needs no mending; at the speed of C, as files may be hostile."""
    if _CONTROL.search(content) or not _is_utf8(content):
        return False
    if b"\\" not in content:
        return True
    single = content.replace(b"\\\\", b"//")
    short = sum(single.count(b"\\" + letter) for letter in _SHORT_ESCAPES)
    return single.count(b"\\") == short


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
