"""Section ``gaps`` of the report: docs/definitions/gaps.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

GapKind = Literal["before_recording", "launch_not_recorded", "queued", "hole", "cpu"]


class Gap(Struct, frozen=True):
    """One time without work on a device. ``causes`` sum to ``duration_us``, ``host_by`` to their ``host``."""

    step: int | None
    device: int
    start_us: float
    duration_us: float
    kind: GapKind
    causes: Mapping[str, float]
    host_by: Mapping[str, float]
    queued_us: float
    hole_us: float
    before: str | None
    before_event: int | None
    after: str
    after_event: int
    launch: str | None
    launch_event: int | None
    launch_start_us: float | None
    launch_duration_us: float | None


class GapRest(Struct, frozen=True):
    """The gaps that are not listed one by one."""

    count: int
    duration_us: float
    causes: Mapping[str, float]
    host_by: Mapping[str, float]


class GapLengths(Struct, frozen=True):
    """The gaps of one class of length; ``up_to_us`` None: all longer ones."""

    up_to_us: float | None
    count: int
    duration_us: float
    queued_us: float


class Gaps(Struct, frozen=True):
    """When the devices were idle in the averaged steps; ``longest`` and ``rest`` sum to the whole."""

    count: int
    duration_us: float
    causes: Mapping[str, float]
    host_by: Mapping[str, float]
    longest: Sequence[Gap]
    rest: GapRest
    by_length: Sequence[GapLengths]
