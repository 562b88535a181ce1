"""Annotations by name (docs/definitions/annotations.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct


class Annotation(Struct, frozen=True):
    """One name; figures beside ``recorded_count`` are sums over the averaged steps."""

    name: str
    recorded_count: int
    count: int
    cpu_total_us: float
    device_us: float | None
    kernels: int | None
    backward_us: float | None
    longest_event: int | None


class RestOfAnnotations(Struct, frozen=True):
    """What the names that are not listed amount to."""

    names: int
    count: int
    cpu_total_us: float


class Annotations(Struct, frozen=True):
    """The annotations, the most expensive first."""

    steps: int
    rows: Sequence[Annotation]
    rest: RestOfAnnotations
    not_measured: Mapping[str, str]
