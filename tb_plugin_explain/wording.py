"""Figures and lists as people read them: three significant digits, one space, a unit.

Imports nothing of ours, so that every text of the project says the same figure the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

# Less than a thousandth of what the finest clock of a trace counts.
_NOTHING = 1e-9
_UNITS = ((1e6, "s"), (1e3, "ms"), (1.0, "µs"))


def to_us(time_ns: float) -> float:
    """Nanoseconds, which the program counts, as the microseconds that reports show."""
    return time_ns / 1000


def significant(value: float) -> str:
    """Three significant digits, without an exponent: ``0.0123``, ``1.78``, ``90.6``, ``1,234``."""
    if abs(value) >= 99.95:
        return f"{value:,.0f}"
    if abs(value) >= 9.995:
        return f"{value:.1f}"
    if abs(value) >= 0.9995:
        return f"{value:.2f}"
    if abs(value) < _NOTHING:
        return "0"
    return f"{float(f'{value:.3g}'):.12f}".rstrip("0")


def time(time_us: float) -> str:
    """A time in the unit that keeps it readable: ``395 µs``, ``1.78 ms``, ``2.30 s``."""
    for size, unit in _UNITS:
        if abs(time_us) >= size * 0.9995:
            return f"{significant(time_us / size)} {unit}"
    return f"{significant(time_us)} µs"


def time_ns(time_ns: float) -> str:
    """``time`` of nanoseconds."""
    return time(time_ns / 1000)


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
