"""What a rule says: types only, without HTML and without event columns.

Imports nothing of ours, so that every layer may use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

Verdict = Literal["artifact", "expected", "fix", "undecided"]
Unit = Literal["us", "bytes", "percent", "count", "ratio"]
Cell = str | int | float | None


class Quantity(Struct, frozen=True):
    """One figure."""

    label: str
    value: float | None
    unit: Unit
    kind: Literal["quantity"] = "quantity"


class Table(Struct, frozen=True):
    """Rows of cells. A column whose name ends in ``_us`` holds microseconds, ``_bytes`` bytes."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    kind: Literal["table"] = "table"


class Span(Struct, frozen=True):
    """One event of the trace on its lane; ``event`` is its index in ``traceEvents``."""

    name: str
    start_us: float
    duration_us: float
    event: int | None = None


class Spans(Struct, frozen=True):
    """Events of one lane, drawn in a small timeline; times count from the first step's start."""

    lane: str
    spans: Sequence[Span]
    kind: Literal["spans"] = "spans"


Evidence = Quantity | Table | Spans


class Finding(Struct, frozen=True):
    """One statement of one rule about a run (``step`` None) or a step.

    at_stake_us: what removing the cause could give back in the step, never more; 0 for an
        artifact; None where it cannot be told.
    looks_like_us: for false alarms, the time that looks lost and is not.
    pill: for false alarms, a few words such as ``104.8 ms synchronise``.
    """

    verdict: Verdict
    title: str
    text: str
    advice: str
    step: int | None = None
    at_stake_us: float | None = 0.0
    looks_like_us: float | None = None
    pill: str | None = None
    evidence: Sequence[Evidence] = ()
    link: str = ""
    rule: str = ""


class RuleOutcome(Struct, frozen=True):
    """How one rule went: ``reason`` says what is missing, or what failed."""

    rule: str
    title: str
    outcome: Literal["found", "quiet", "not_measured", "failed"]
    reason: str | None = None


class NotMeasured(Exception):
    """Raised by a rule whose question this trace cannot answer; its text says why."""
