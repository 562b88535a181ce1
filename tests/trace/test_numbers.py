"""Numbers are exact: compared with decimal arithmetic on any text."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from tb_plugin_explain.trace.numbers import INT64_MAX, LATEST_NS, nanoseconds, whole_numbers

TIME_TEXTS = st.one_of(
    st.integers(-(10**19), 10**19).map(str),
    st.decimals(-(10**16), 10**16, places=3).map(lambda d: f"{d:f}"),
    st.decimals(-(10**6), 10**6, places=6).map(lambda d: f"{d:f}"),
    st.floats(allow_nan=False, allow_infinity=False).map(repr).map(lambda s: s.replace("e+", "e")),
)


def raws(*texts: str) -> list[Raw]:
    return [Raw(text.encode()) for text in texts]


@given(st.lists(TIME_TEXTS, min_size=1, max_size=8))
def test_times_equal_decimal_arithmetic(texts: list[str]) -> None:
    found = nanoseconds(raws(*texts))
    for i, text in enumerate(texts):
        exact = int((Decimal(text) * 1000).to_integral_value(ROUND_HALF_EVEN))
        if abs(exact) < LATEST_NS:
            assert (found.known[i], found.values[i]) == (True, exact)
        else:
            assert not found.known[i]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.0005", 0),
        ("0.0015", 2),
        ("1682725898236567.123", 1682725898236567123),
        ("4398046511104.001", 4398046511104001),
        ("-0.5", -500),
        ("1.5E3", 1500000),
        ('"12.5"', 12500),
    ],
)
def test_time(text: str, expected: int) -> None:
    found = nanoseconds(raws(text, "1"))
    assert found.values[0] == expected
    assert found.known.all()
    assert found.quoted[0] == text.startswith('"')


@pytest.mark.parametrize(
    "text", ["null", "nan", '"inf"', '""', '"abc"', "[1]", "1e400", "9223372036854776", "true"]
)
def test_what_is_no_time_is_unknown(text: str) -> None:
    found = nanoseconds(raws("2", text))
    assert found.known.tolist() == [True, False]
    assert found.values[0] == 2000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", 7),
        ('"7"', 7),
        ("7.0", 7),
        ("9223372036854775807", INT64_MAX),
        ("9223372036854775808", -1),
        ("7.5", -1),
        ("null", -1),
        ('"N/A"', -1),
        ("[7]", -1),
        ("true", -1),
    ],
)
def test_whole_number(text: str, expected: int) -> None:
    assert whole_numbers(raws(text, "3"), missing=-1).tolist() == [expected, 3]
    assert whole_numbers(raws(text, "3"), missing=-1).dtype == np.int64
