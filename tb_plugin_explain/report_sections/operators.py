"""Operators by name (docs/definitions/operators.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct


class RecordedOperator(Struct, frozen=True):
    """An operator in the whole recording, as ``prof.key_averages()`` counts it."""

    calls: int
    cpu_total_us: float
    cpu_self_us: float


class Operator(Struct, frozen=True):
    """One name; figures beside ``recorded`` are sums over the averaged steps.

    ``share``: of the summed time of these steps’ GPU work.
    """

    name: str
    recorded: RecordedOperator
    calls: int
    cpu_total_us: float
    cpu_self_us: float
    device_self_us: float | None
    device_total_us: float | None
    kernels: int | None
    share: float | None
    longest_event: int | None


class RestOfOperators(Struct, frozen=True):
    """What the operators that are not listed amount to."""

    names: int
    calls: int
    cpu_self_us: float
    device_self_us: float | None
    kernels: int | None


class Operators(Struct, frozen=True):
    """The operators, the most expensive first. ``unattributed_us``: GPU work that none launched."""

    steps: int
    rows: Sequence[Operator]
    rest: RestOfOperators
    device_us: float | None
    unattributed_us: float | None
    not_measured: Mapping[str, str]
