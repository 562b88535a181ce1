"""What bounds the run: where the part of a step goes in which the device ran nothing.

docs/definitions.md, "Headline". Every figure's median is taken separately, then the arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Literal

from msgspec import Struct

BoundVerdict = Literal[
    "host_bound",
    "sync_bound",
    "input_bound",
    "communication_bound",
    "copy_bound",
    "compute_bound",
    "undecided",
]
Share = Literal["sync", "input", "host", "open"]

MIN_COMMUNICATION = 0.5
# Up to this share of a step lost, the device sets the pace.
MAX_LOST = 0.2
MIN_COPIES_OF_BUSY = 0.5
NEAR_TIE = 0.1

_VERDICTS: Mapping[Share, BoundVerdict] = {
    "sync": "sync_bound",
    "input": "input_bound",
    "host": "host_bound",
    "open": "undecided",
}


class DeviceFigures(Struct, frozen=True):
    """One step on the device that is judged, or the medians of several; all in ns."""

    busy_ns: float
    window_ns: float
    idle_ns: float
    communication_exposed_ns: float
    copy_exposed_ns: float
    by_cause: Mapping[str, float]


class Bound(Struct, frozen=True):
    """The verdict and what it rests on.

    base_ns: the pace less the profiler's idle time, of which all shares are.
    lost_ns: how long the device ran nothing; shares_ns: whose that is.
    named: the shares that the verdict names, two where it abstains on a near tie.
    """

    verdict: BoundVerdict
    base_ns: float
    lost_ns: float
    shares_ns: Mapping[Share, float]
    named: tuple[Share, ...]
    figures: DeviceFigures


def medians(steps: Sequence[DeviceFigures]) -> DeviceFigures:
    """The median of each figure, taken separately."""

    def of(values: Sequence[float]) -> float:
        return float(median(values))

    return DeviceFigures(
        busy_ns=of([s.busy_ns for s in steps]),
        window_ns=of([s.window_ns for s in steps]),
        idle_ns=of([s.idle_ns for s in steps]),
        communication_exposed_ns=of([s.communication_exposed_ns for s in steps]),
        copy_exposed_ns=of([s.copy_exposed_ns for s in steps]),
        by_cause={cause: of([s.by_cause[cause] for s in steps]) for cause in steps[0].by_cause},
    )


def judge(figures: DeviceFigures, pace_ns: float) -> Bound:
    """The verdict on one step, or on the medians of several."""
    cause = figures.by_cause
    outside = max(0.0, pace_ns - figures.window_ns)
    base = pace_ns - cause["profiler"]
    lost = figures.idle_ns - cause["profiler"] + outside
    shares: dict[Share, float] = {
        "sync": cause["sync_bubble"],
        "input": cause["input"],
        "host": cause["host"] + cause["launch"] + outside,
        "open": cause["unknown"] + cause["dependency"],
    }
    verdict, named = _decide(figures, base, lost, shares)
    return Bound(verdict, base, lost, shares, named, figures)


def _decide(
    figures: DeviceFigures, base_ns: float, lost_ns: float, shares_ns: Mapping[Share, float]
) -> tuple[BoundVerdict, tuple[Share, ...]]:
    if figures.communication_exposed_ns >= MIN_COMMUNICATION * base_ns:
        return "communication_bound", ()
    if lost_ns <= MAX_LOST * base_ns:
        copies = figures.copy_exposed_ns >= MIN_COPIES_OF_BUSY * figures.busy_ns
        return ("copy_bound" if copies and figures.busy_ns > 0 else "compute_bound"), ()
    first, second = sorted(shares_ns, key=lambda share: -shares_ns[share])[:2]
    if shares_ns[first] - shares_ns[second] <= NEAR_TIE * base_ns:
        return "undecided", (first, second)
    return _VERDICTS[first], (first,)
