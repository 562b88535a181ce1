"""Section `drift`: how steps change over the recording."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise
from math import sqrt
from typing import Any

from ..device import earlier_with_work
from ..headline import longest_period
from ..settled import median
from ..steps import Step
from .basis import Basis, ratio

LEAST = 6  # "Fewer than six: all below is `null`"
MOST_PAIRED = 500
ONE_PERCENT = 2.576
FIGURES = ("duration_us", "pace_us", "gpu_busy_us", "gpu_idle_us", "offset_us")


def reference_drift(basis: Basis) -> dict[str, Any] | None:
    steps = basis.steps.steps
    if not steps or steps[0].number is None:
        return None
    averaged = set(basis.averaged)
    own = max(
        basis.steps.by_pid.values(),
        key=lambda of_one: (sum(s in averaged for s in of_one), -of_one[0].start),
    )
    compared = [s for s in own if s in averaged]
    values = {step: figures_of(basis, step) for step in own}
    unsettled = sum(s.duration for s in steps if basis.settled.verdict[s] is False)
    recorded = sum(s.duration for s in steps)
    judged = any(basis.settled.verdict[s] is not None for s in steps)
    return {
        "pid": int(own[0].pid) if own[0].pid is not None and own[0].pid.isdecimal() else own[0].pid,
        "steps": len(compared),
        "device": basis.summary_device,
        "figures": [
            {"figure": figure, **drift([(s.number or 0, values[s][figure]) for s in compared])}
            for figure in FIGURES
        ],
        "series": {
            "step": [s.number for s in own],
            "settled": [basis.settled.verdict[s] for s in own],
            **{figure: [values[s][figure] for s in own] for figure in FIGURES},
        },
        "unsettled_us": unsettled,
        "recorded_us": recorded,
        "cold_share": ratio(unsettled, recorded) if judged else None,
        "first_settled": next((s.number for s in own if basis.settled.verdict[s] is True), None),
    }


def figures_of(basis: Basis, step: Step) -> dict[str, int | None]:
    device = basis.summary_device
    gpu = next((g for g in basis.gpu[step] or [] if g["device"] == device), None)
    first_there = device is None or not earlier_with_work(step, device)
    return {
        "duration_us": step.duration,
        "pace_us": longest_period(step, basis.gpu),
        "gpu_busy_us": None if gpu is None else gpu["busy_us"],
        "gpu_idle_us": None if gpu is None or first_there else gpu["idle_us"],
        "offset_us": basis.lane_offsets[step]["first_us"],
    }


def drift(points: list[tuple[int, int | None]]) -> dict[str, Any]:
    known = [(x, y) for x, y in points if y is not None]
    n = len(known)
    keys = ("first_us", "last_us", "slope_us", "change_us", "spread_us", "drifts")
    if n < LEAST:
        return {"known": n, **dict.fromkeys(keys)}
    used = known if n <= MOST_PAIRED else [known[k * n // MOST_PAIRED] for k in range(MOST_PAIRED)]
    values = [y for _, y in known]
    slope = median([Fraction(b[1] - a[1], b[0] - a[0]) for a, b in combinations(used, 2) if a[0] != b[0]])
    change = slope * (known[-1][0] - known[0][0])
    spread = median([abs(b - a) for a, b in pairwise(values)])
    return {
        "known": n,
        "first_us": median(values[: n // 3]),
        "last_us": median(values[-(n // 3) :]),
        "slope_us": slope,
        "change_us": change,
        "spread_us": spread,
        "drifts": abs(change) > spread and abs(mann_kendall(used)) >= ONE_PERCENT,
    }


def mann_kendall(used: list[tuple[int, int]]) -> float:
    m = len(used)
    s = sum((b[1] > a[1]) - (b[1] < a[1]) for a, b in combinations(used, 2))
    sign = (s > 0) - (s < 0)
    return (s - sign) / sqrt(m * (m - 1) * (2 * m + 5) / 18)
