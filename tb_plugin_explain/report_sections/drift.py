"""Section ``drift`` of the report: docs/definitions/drift.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

DriftFigure = Literal["duration_us", "pace_us", "gpu_busy_us", "gpu_idle_us", "offset_us"]


class Drift(Struct, frozen=True):
    """The trend of one figure over the compared steps; None where too few have it."""

    figure: DriftFigure
    known: int
    first_us: float | None
    last_us: float | None
    slope_us: float | None
    change_us: float | None
    spread_us: float | None
    drifts: bool | None


class DriftSeries(Struct, frozen=True):
    """All steps of the process in order, as lists of equal length."""

    step: Sequence[int]
    settled: Sequence[bool | None]
    duration_us: Sequence[float | None]
    pace_us: Sequence[float | None]
    gpu_busy_us: Sequence[float | None]
    gpu_idle_us: Sequence[float | None]
    offset_us: Sequence[float | None]


class StepDrift(Struct, frozen=True):
    """How steps change over the recording, and how much of it had not settled."""

    pid: int | str | None
    device: int | None
    steps: int
    figures: Sequence[Drift]
    series: DriftSeries
    unsettled_us: float
    recorded_us: float
    cold_share: float | None
    first_settled: int | None
