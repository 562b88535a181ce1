"""Figures and lists as people read them: three significant digits, one space, a unit.

Imports nothing of ours, so that every text of the project says the same figure the same way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

# Less than a thousandth of what the finest clock of a trace counts.
_NOTHING = 1e-9
# Names of templates run to hundreds of characters; their beginning tells what they are.
_LONGEST_NAME = 60
_SIZES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_UNITS = ((1e6, "s"), (1e3, "ms"), (1.0, "µs"))
# Halves go away from 0, as readers expect and as JavaScript does it: the page says the same figures.
_ROUNDING = Context(prec=400, rounding=ROUND_HALF_UP)


def to_us(time_ns: float) -> float:
    """Nanoseconds, which the program counts, as the microseconds that reports show."""
    return time_ns / 1000


def rounded(value: float, decimals: int) -> str:
    """With so many decimals, and commas between thousands: ``645`` of 644.5."""
    exact = Decimal(value)
    if not exact.is_finite():
        return f"{value}"
    return f"{exact.quantize(Decimal(1).scaleb(-decimals), context=_ROUNDING):,f}"


def significant(value: float) -> str:
    """Three significant digits, without an exponent: ``0.0123``, ``1.78``, ``90.6``, ``1,234``."""
    if abs(value) >= 99.95:
        return rounded(value, 0)
    if abs(value) >= 9.995:
        return rounded(value, 1)
    if abs(value) >= 0.9995:
        return rounded(value, 2)
    if abs(value) < _NOTHING:
        return "0"
    return rounded(value, 2 - Decimal(value).adjusted()).rstrip("0")


def time(time_us: float) -> str:
    """A time in the unit that keeps it readable: ``395 µs``, ``1.78 ms``, ``2.30 s``."""
    for size, unit in _UNITS:
        if abs(time_us) >= size * 0.9995:
            return f"{significant(time_us / size)} {unit}"
    return f"{significant(time_us)} µs"


def time_ns(time_ns: float) -> str:
    """``time`` of nanoseconds."""
    return time(time_ns / 1000)


def size(size_bytes: float) -> str:
    """An amount of memory: ``512 bytes``, ``1.50 MiB``, ``23.4 GiB``."""
    for unit_bytes, unit in _SIZES:
        if abs(size_bytes) >= unit_bytes * 0.9995:
            return f"{significant(size_bytes / unit_bytes)} {unit}"
    return count(int(Decimal(size_bytes).to_integral_value(ROUND_HALF_UP)), "byte")


def amount(value: float, unit: str) -> str:
    """A figure in its unit: ``us``, ``bytes`` or ``count``."""
    if unit == "us":
        return time(value)
    return size(value) if unit == "bytes" else significant(value) if value % 1 else f"{value:,.0f}"


def difference(value: float, unit: str) -> str:
    """``amount`` with its sign: ``+30.0 µs``, ``−2``, and ``0 µs`` without one."""
    text = amount(abs(value), unit)
    sign = "" if text.split(" ")[0] == "0" else "+" if value > 0 else "−"
    return sign + text


def relative_difference(value: float, baseline: float | None) -> str | None:
    """A difference as a share of the baseline: ``+12.3 %``; None of a baseline of nothing."""
    if not baseline:
        return None
    text = percent(abs(value / baseline))
    return text if text == "0 %" else ("+" if value > 0 else "−") + text


def percent(share: float) -> str:
    """A share of 1 as ``12.3 %``."""
    return f"{significant(100 * share)} %"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """``1 call``, ``1,198 calls``."""
    word = noun if number == 1 else plural or f"{noun}s"
    return f"{number:,} {word}"


def listing(parts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def steps(numbers: Sequence[int | None]) -> str:
    """``step 6``, ``steps 3–6``, ``steps 3, 5 and 6``; without numbers ``the recording``."""
    known = [n for n in numbers if n is not None]
    if not known:
        return "the recording"
    if len(known) == 1:
        return f"step {known[0]}"
    if len(known) > 2 and known == list(range(known[0], known[-1] + 1)):
        return f"steps {known[0]}–{known[-1]}"
    if len(known) > 6:
        return f"{len(known)} steps from {known[0]} to {known[-1]}"
    return f"steps {listing([str(n) for n in known])}"


def first_sentence(text: str) -> str:
    """The first sentence of a text, with its full stop."""
    head, stop, _ = text.partition(". ")
    return head + "." if stop else text


def kernel(name: str) -> str:
    """The name of GPU work as a sentence can hold it: without return type, template and arguments."""
    plain = name.removeprefix("void ").replace("(anonymous namespace)::", "")
    plain = re.sub(r"(?<=\w)[<(].*", "", plain, flags=re.DOTALL)
    return in_short(plain)


def in_short(name: str) -> str:
    """The name of a kernel as a sentence or a table bears it: its beginning."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1].rstrip()}…"
