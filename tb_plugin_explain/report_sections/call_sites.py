"""Who asked for each wait (docs/definitions/call_sites.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

CallSitePhase = Literal["input", "optimizer", "backward", "forward", "other"]


class CallSiteTotals(Struct, frozen=True):
    """A site in the whole recording."""

    count: int
    wait_calls: int
    waiting_us: float
    bubble_us: float | None


class CallSite(Struct, frozen=True):
    """One place that makes the CPU wait; figures are sums over the averaged steps.

    The three parts sum to ``waiting_us``, of which ``implicit_us`` lies in calls that wait without
    saying so. ``bubble_us``: idle time of the devices that these waits made.
    """

    operator: str | None
    top_operator: str | None
    module: str | None
    annotation: str | None
    phase: CallSitePhase
    source: str | None
    calls: Sequence[str]
    count: int
    count_per_step: float
    steps_with: int
    wait_calls: int
    waiting_us: float
    gpu_busy_us: float
    profiler_us: float
    gpu_idle_us: float
    implicit_us: float
    bubble_us: float | None
    longest_event: int | None
    recorded: CallSiteTotals


class RestOfCallSites(Struct, frozen=True):
    """What the sites that are not listed amount to."""

    sites: int
    count: int
    waiting_us: float
    bubble_us: float | None


class CallSites(Struct, frozen=True):
    """The sites, the most expensive first. ``steps``: how many averaged steps were summed over."""

    steps: int
    sites: Sequence[CallSite]
    rest: RestOfCallSites
    not_measured: Mapping[str, str]
