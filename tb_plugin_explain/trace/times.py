"""Exact times: the decimal text of a number of microseconds, times 1000, rounded half to even.

Two ways that give the same: a quick one over floats, which proves of each value that float64
holds it precisely enough, and an exact one over the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal

import numpy as np
import numpy.typing as npt

from tb_plugin_explain.trace.model import Bools, Int64s

INT64_MAX = 2**63 - 1
_LARGEST_WHOLE_US = INT64_MAX // 1000
_NUMBER = re.compile(rb"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,4}))?")
_LONGEST_NUMBER = 400
_LONGEST_ORDINARY_TEXT = 40
# No value beyond these exponents is a time: it is 0 or far outside int64.
_EXPONENT_LIMIT = 60


def ns_from_numbers(values: Sequence[object]) -> tuple[Int64s, Bools] | None:
    """Nanoseconds of ints and floats and which are known (not None); None if one needs its text."""
    if set(map(type, values)) == {int}:
        return _ns_from_ints(values)
    try:
        microseconds = np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    known = ~np.isnan(microseconds)
    nanoseconds, exact = _ns_from_floats(microseconds)
    return (nanoseconds, known) if (exact | ~known).all() else None


def ns_from_texts(texts: list[bytes]) -> tuple[Int64s, Bools]:
    """Nanoseconds of the JSON texts, and of which of them they could be told.

    A string that holds a number counts as that number.
    """
    if max(map(len, texts), default=0) > _LONGEST_ORDINARY_TEXT:
        return _ns_one_by_one(texts)
    try:
        microseconds = np.array(texts, np.bytes_).astype(np.float64)
    except ValueError:
        return _ns_one_by_one(texts)
    nanoseconds, exact = _ns_from_floats(microseconds)
    known = np.ones(len(texts), np.bool_)
    for i in np.flatnonzero(~exact):
        value = ns_from_text(texts[i])
        nanoseconds[i], known[i] = value or 0, value is not None
    return nanoseconds, known


def ns_from_text(text: bytes) -> int | None:
    """Nanoseconds of one JSON text, None if it is no number or its time does not fit int64."""
    if text[-4:-3] == b"." and text[:-4].isdigit() and text[-3:].isdigit() and len(text) <= 20:
        return int(text[:-4] + text[-3:])
    found = _NUMBER.fullmatch(text.strip(b'" ')) if len(text) <= _LONGEST_NUMBER else None
    if not found:
        return None
    number = Decimal(found[0].decode())
    if number.adjusted() > _EXPONENT_LIMIT:
        return None
    if number.adjusted() < -_EXPONENT_LIMIT:
        return 0
    context = Context(prec=_LONGEST_NUMBER + _EXPONENT_LIMIT + 10)
    nanoseconds = int(number.scaleb(3, context).to_integral_value(ROUND_HALF_EVEN, context))
    return nanoseconds if -INT64_MAX <= nanoseconds <= INT64_MAX else None


def _ns_from_ints(values: Sequence[object]) -> tuple[Int64s, Bools] | None:
    try:
        microseconds = np.array(values, np.int64)
    except OverflowError:
        return None
    if len(microseconds) and np.abs(microseconds).max() > _LARGEST_WHOLE_US:
        return None
    return microseconds * 1000, np.ones(len(values), np.bool_)


def _ns_from_floats(microseconds: npt.NDArray[np.float64]) -> tuple[Int64s, Bools]:
    """Nanoseconds, and of which of them it is certain that the decimal text gives the same.

    A float64 is within half a spacing of its decimal text. Its nanoseconds are the text's where
    that much either way stays clear of the next rounding boundary.
    """
    usable = np.abs(microseconds) < 2.0**42
    microseconds = np.where(usable, microseconds, 0.0)
    whole = np.floor(microseconds)
    thousandths = (microseconds - whole) * 1000.0
    nearest = np.rint(thousandths)
    doubt = np.spacing(np.abs(microseconds)) * 501.0 + 1e-12
    certain = usable & (np.abs(thousandths - nearest) + doubt < 0.5)
    return whole.astype(np.int64) * 1000 + nearest.astype(np.int64), certain


def _ns_one_by_one(texts: list[bytes]) -> tuple[Int64s, Bools]:
    values = [ns_from_text(text) for text in texts]
    known = np.fromiter((v is not None for v in values), np.bool_, len(values))
    return np.array([v or 0 for v in values], np.int64), known
