"""Copies and memsets: docs/definitions/copies.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

Direction = Literal["HtoD", "DtoH", "DtoD", "HtoH", "PtoP"]
MemoryKind = Literal["pageable", "pinned", "device", "unified", "array"]


class CopyFigures(Struct, frozen=True):
    """Sums over the averaged steps. ``bandwidth_gb_per_s``: 10⁹ bytes a second."""

    count: int
    time_us: float
    bytes: int | None
    sized_count: int
    bandwidth_gb_per_s: float | None
    exposed_us: float
    alone_us: float
    small_count: int
    blocking_count: int
    blocking_us: float


class CopyRow(Struct, frozen=True):
    """All copies, or memsets, of one name; None where the name does not tell."""

    kind: Literal["copy", "memset"]
    name: str
    direction: Direction | None
    source: MemoryKind | None
    target: MemoryKind | None
    pinned: bool | None
    longest_event: int | None
    figures: CopyFigures


class RestOfCopies(Struct, frozen=True):
    """The names that are not listed."""

    names: int
    count: int
    time_us: float


class Copies(Struct, frozen=True):
    steps: int
    copies: CopyFigures
    memsets: CopyFigures
    rows: Sequence[CopyRow]
    rest: RestOfCopies | None
