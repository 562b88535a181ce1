"""Figures and lists as people read them."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin_explain import wording

FIGURE = re.compile(r"-?(\d{1,3}(,\d{3})*|\d{1,3}\.\d+|0\.0*[1-9]\d{0,2})")
TIMES = st.floats(0.001, 1e10)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1.78, "1.78"),
        (9.994, "9.99"),
        (9.996, "10.0"),
        (99.94, "99.9"),
        (99.96, "100"),
        (999.4, "999"),
        (644.5, "645"),
        (645.5, "646"),
        (-644.5, "-645"),
        (1.125, "1.13"),
        (30.25, "30.3"),
        (0.03125, "0.0313"),
        (0.09996, "0.1"),
        (1234.5, "1,235"),
        (0.0123, "0.0123"),
        (0.000_012_345, "0.0000123"),
        (1e-12, "0"),
        (-0.5, "-0.5"),
    ],
)
def test_three_significant_digits(value: float, text: str) -> None:
    assert wording.significant(value) == text


@pytest.mark.parametrize(
    ("time_us", "text"),
    [
        (0, "0 µs"),
        (0.011, "0.011 µs"),
        (395, "395 µs"),
        (999.4, "999 µs"),
        (999.6, "1.00 ms"),
        (999.95, "1.00 ms"),
        (1780, "1.78 ms"),
        (90_626.387, "90.6 ms"),
        (999_499, "999 ms"),
        (999_500, "1.00 s"),
        (2_300_000, "2.30 s"),
        (3_600e6, "3,600 s"),
        (-16_400, "-16.4 ms"),
    ],
)
def test_times_in_the_unit_that_keeps_them_short(time_us: float, text: str) -> None:
    assert wording.time(time_us) == text
    assert wording.time_ns(time_us * 1000) == text


@given(TIMES)
def test_a_time_is_never_a_thousand_of_a_smaller_unit_nor_nothing(time_us: float) -> None:
    figure, unit = wording.time(time_us).split(" ")
    assert FIGURE.fullmatch(figure), figure
    assert float(figure.replace(",", "")) > 0
    if unit != "s":
        assert "," not in figure
        assert float(figure) < 1000


@given(TIMES)
def test_a_time_is_off_by_half_of_its_third_digit_at_most(time_us: float) -> None:
    figure, unit = wording.time(time_us).split(" ")
    shown = float(figure.replace(",", "")) * {"µs": 1, "ms": 1e3, "s": 1e6}[unit]
    assert abs(shown - time_us) <= 0.005_000_1 * time_us


@given(TIMES, TIMES)
def test_longer_times_never_read_as_shorter_ones(a: float, b: float) -> None:
    def shown(time_us: float) -> float:
        figure, unit = wording.time(time_us).split(" ")
        return float(figure.replace(",", "")) * {"µs": 1, "ms": 1e3, "s": 1e6}[unit]

    if a < b:
        assert shown(a) <= shown(b)


@given(st.floats(0, 1))
def test_shares_have_no_exponent_and_at_most_three_digits(share: float) -> None:
    text = wording.percent(share)
    figure = text.removesuffix(" %")
    assert figure == "0" or FIGURE.fullmatch(figure), text
    assert len(figure.replace(".", "").lstrip("0")) <= 3


@pytest.mark.parametrize(("number", "text"), [(0, "0 calls"), (1, "1 call"), (1198, "1,198 calls")])
def test_counts_agree_with_their_noun(number: int, text: str) -> None:
    assert wording.count(number, "call") == text


def test_an_odd_plural_is_given() -> None:
    assert wording.count(2, "entry", "entries") == "2 entries"
    assert wording.count(1, "entry", "entries") == "1 entry"


@pytest.mark.parametrize(
    ("parts", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_lists(parts: list[str], text: str) -> None:
    assert wording.listing(parts) == text


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], "the recording"),
        ([None], "the recording"),
        ([6], "step 6"),
        ([3, 4], "steps 3 and 4"),
        ([3, 4, 5, 6], "steps 3–6"),
        ([3, 5, 6], "steps 3, 5 and 6"),
        ([1, 3, 4, 6, 7, 9, 12], "7 steps from 1 to 12"),
    ],
)
def test_steps(numbers: list[int | None], text: str) -> None:
    assert wording.steps(numbers) == text


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Launch less often. Larger batches do that.", "Launch less often."),
        ("Use .to(device, non_blocking=True). It copies.", "Use .to(device, non_blocking=True)."),
        ("One sentence.", "One sentence."),
    ],
)
def test_the_first_sentence(text: str, first: str) -> None:
    assert wording.first_sentence(text) == first


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (512, "512 bytes"),
        (512.5, "513 bytes"),
        (1024, "1.00 KiB"),
        (-1536, "-1.50 KiB"),
        (2**20 - 1, "1.00 MiB"),
        (80 * 2**30, "80.0 GiB"),
        (3 * 2**40, "3.00 TiB"),
    ],
)
def test_memory_in_its_own_units(size_bytes: float, text: str) -> None:
    assert wording.size(size_bytes) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (30.0, "us", "+30.0 µs"),
        (-2300.0, "us", "−2.30 ms"),
        (0.0, "us", "0 µs"),
        (-0.0, "us", "0 µs"),
        (33_554_432.0, "bytes", "+32.0 MiB"),
        (-1.0, "bytes", "−1 byte"),
        (0.0, "bytes", "0 bytes"),
        (1234.0, "count", "+1,234"),
        (-1.5, "count", "−1.50"),
        (0.0, "count", "0"),
    ],
)
def test_a_difference_has_its_sign(value: float, unit: str, text: str) -> None:
    assert wording.difference(value, unit) == text


@pytest.mark.parametrize(
    ("value", "baseline", "text"),
    [
        (30.0, 100.0, "+30.0 %"),
        (-23.0, 644.5, "−3.57 %"),
        (20.0, -100.0, "+20.0 %"),
        (0.0, 100.0, "0 %"),
        (5.0, 0.0, None),
        (5.0, None, None),
    ],
)
def test_a_difference_as_a_share_of_the_baseline(
    value: float, baseline: float | None, text: str | None
) -> None:
    assert wording.relative_difference(value, baseline) == text


@pytest.mark.parametrize(("value", "text"), [(math.inf, "inf"), (-math.inf, "-inf"), (math.nan, "nan")])
def test_what_is_no_number_stops_no_sentence(value: float, text: str) -> None:
    assert wording.significant(value) == text
