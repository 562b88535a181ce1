"""Columns of numbers from their JSON texts, exactly.

Almost all texts of a file are plain decimals. They are joined, their points dropped, and parsed
as integers in one go, so that no float64 ever rounds a time. What is not plain (strings,
exponents, more than three decimals, null) is taken one by one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal

import numpy as np
from msgspec import Raw, Struct

from tb_plugin_explain.trace.model import Bools, Int64s

INT64_MAX = 2**63 - 1
# Times beyond it (the year 2065) are no times; differences of the others always fit int64.
LATEST_NS = 3 * 10**18
_LONGEST_NUMBER = 400
_EXPONENT_LIMIT = 60  # beyond it a number is 0 ns or far outside int64
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?")
_WHOLE = re.compile(rb'"?[ ]*(-?[0-9]{1,19})(?:\.0*)?[ ]*"?')
_CONTEXT = Context(prec=_LONGEST_NUMBER + _EXPONENT_LIMIT + 10)
_POWERS_OF_TEN = np.array([1000, 100, 10, 1], np.int64)


class Nanoseconds(Struct, frozen=True):
    """A column of times: ``known`` where the text is a number, ``quoted`` where it is a string."""

    values: Int64s
    known: Bools
    quoted: Bools


def nanoseconds(texts: Sequence[Raw]) -> Nanoseconds:
    """Numbers of microseconds times 1000, rounded half to even; strings of numbers count too.

    Unknown is what is no number, and what is beyond LATEST_NS.
    """
    count = len(texts)
    joined = b",".join(texts)
    if joined.translate(None, b"0123456789.,-"):
        return _nanoseconds_one_by_one(texts)
    decimals = _decimals(joined, count)
    # Digits that do not fit int64 come out as its largest or smallest value.
    digits = np.fromstring(joined.replace(b".", b""), np.int64, sep=",")
    power = _POWERS_OF_TEN[np.minimum(decimals, 3)]
    values = digits * power
    known = np.ones(count, np.bool_)
    limit = LATEST_NS // power
    for i in np.flatnonzero((decimals > 3) | (digits >= limit) | (digits <= -limit)).tolist():
        value = nanoseconds_of(bytes(texts[i]))
        values[i], known[i] = value or 0, value is not None
    return Nanoseconds(values, known, np.zeros(count, np.bool_))


def nanoseconds_of(text: bytes) -> int | None:
    """The same for one JSON text, None if it is unknown."""
    found = _NUMBER.fullmatch(text.strip(b'" ')) if len(text) <= _LONGEST_NUMBER else None
    if not found:
        return None
    number = Decimal(found[0].decode())
    if number.adjusted() > _EXPONENT_LIMIT:
        return None
    if number.adjusted() < -_EXPONENT_LIMIT:
        return 0
    value = int(number.scaleb(3, _CONTEXT).to_integral_value(ROUND_HALF_EVEN, _CONTEXT))
    return value if abs(value) <= LATEST_NS else None


def whole_numbers(texts: Sequence[Raw], missing: int) -> Int64s:
    """Integers, also those written as strings or with a fraction of 0; ``missing`` for the rest."""
    joined = b",".join(texts)
    if not joined.translate(None, b"0123456789,-"):
        values = np.fromstring(joined, np.int64, sep=",")
        if values.max() < INT64_MAX and values.min() > -INT64_MAX:
            return values
    return np.array([whole_number(text, missing) for text in texts], np.int64)


def whole_number(text: Raw, missing: int) -> int:
    """The same for one JSON text."""
    found = _WHOLE.fullmatch(bytes(text))
    value = int(found[1]) if found else missing
    return value if abs(value) <= INT64_MAX else missing


def _decimals(joined: bytes, count: int) -> Int64s:
    """How many decimals each of the joined texts has."""
    decimals = np.zeros(count, np.int64)
    if b"." in joined:
        characters = np.frombuffer(joined, np.uint8)
        ends = np.append(np.flatnonzero(characters == ord(",")), len(joined))
        points = np.flatnonzero(characters == ord("."))
        owners = np.arange(count) if len(points) == count else np.searchsorted(ends, points)
        decimals[owners] = ends[owners] - points - 1
    return decimals


def _nanoseconds_one_by_one(texts: Sequence[Raw]) -> Nanoseconds:
    plain = [bytes(text) for text in texts]
    values = [nanoseconds_of(text) for text in plain]
    return Nanoseconds(
        np.array([value or 0 for value in values], np.int64),
        np.array([value is not None for value in values], np.bool_),
        np.array([text.startswith(b'"') for text in plain], np.bool_),
    )
