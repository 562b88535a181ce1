"""Pace and headline, from the averaged steps."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

from .settled import Settled, median
from .steps import Step

Figures = dict[str, Fraction]
Gpu = dict[Step, list[dict[str, Any]] | None]


def longest_period(step: Step, gpu: Gpu) -> int:
    """The longest of `period_us` (last step: `duration_us`) and every `gpu[].period_us`."""
    own = step.duration if step.next_start is None else step.next_start - step.start
    periods: list[int] = [g["period_us"] for g in gpu[step] or [] if g["period_us"] is not None]
    return max([own, *periods])


def pace(settled: Settled, gpu: Gpu) -> Fraction | None:
    """`pace_us`: null in a trace of one step; "counts of steps are within one process"."""
    if not any(step.earlier for step in settled.steps.steps):
        return None
    averaged = settled.averaged()
    chosen = [s for s in averaged if s.earlier and s.earlier[-1] in averaged] or averaged
    return median([longest_period(s, gpu) for s in chosen])


def speed_of_one_step(step: Step, gpu: Gpu) -> Fraction:
    """In a trace of one step: "the longer of `duration_us` and the device window (an unnumbered step: the
    window alone)"; with several devices, the longest window."""
    windows = [g["window_us"] for g in gpu[step] or []]
    return Fraction(max(windows + ([] if step.number is None else [step.duration]), default=0))


def headline(settled: Settled, gpu: Gpu, any_gpu_event: bool) -> dict[str, Any]:
    steps = settled.steps.steps
    averaged = settled.averaged()
    run_pace = pace(settled, gpu)
    if run_pace is None and steps:
        run_pace = speed_of_one_step(steps[0], gpu)
    device = busiest_device(averaged, gpu)
    result: dict[str, Any] = {
        "steps": [s.number for s in averaged],
        "settled": settled.verdict[averaged[0]] if averaged else None,
        "device": device,
    }
    if not any_gpu_event or device is None or run_pace is None:
        return result | {"verdict": "not_measured", "named": [], "confidence": "undecided", "why_parts": None}
    on_device = {s: [g for g in gpu[s] or [] if g["device"] == device] for s in averaged}
    verdict, named, parts = judge([g for s in averaged for g in on_device[s]], run_pace)
    agreeing = sum(bool(on_device[s]) and judge(on_device[s], run_pace)[0] == verdict for s in averaged)
    confidence = (
        "clear" if agreeing == len(averaged) else "likely" if 2 * agreeing > len(averaged) else "undecided"
    )
    if confidence == "clear" and (result["settled"] is not True or len(steps) == 1):
        confidence = "likely"
    return result | {"verdict": verdict, "named": named, "confidence": confidence, "why_parts": parts}


def busiest_device(averaged: list[Step], gpu: Gpu) -> int | None:
    """ "on the device with the longest busy time": summed over the averaged steps; tie: the lowest number."""
    busy: Counter[int] = Counter()
    for step in averaged:
        for figures in gpu[step] or []:
            busy[figures["device"]] += figures["busy_us"]
    return min(busy, key=lambda d: (-busy[d], d)) if busy else None


def judge(gpu_figures: list[dict[str, Any]], run_pace: Fraction) -> tuple[str, list[str], Figures]:
    """The verdict of these figures: each figure's median is taken separately, then the arithmetic done."""
    columns: dict[str, list[int]] = defaultdict(list)
    for figures in gpu_figures:
        for key in ("busy_us", "idle_us", "window_us", "communication_exposed_us", "copy_exposed_us"):
            columns[key].append(figures[key])
        for cause, time in figures["idle_by_cause"].items():
            columns[cause].append(time)
    middle = {key: median(values) for key, values in columns.items()}
    starved = max(Fraction(0), run_pace - middle["window_us"])
    lost = middle["idle_us"] - middle["profiler"] + starved
    shares = {
        "sync": middle["sync_bubble"],
        "input": middle["input"],
        "host": middle["host"] + middle["launch"] + starved,
        "open": middle["unknown"] + middle["dependency"],
    }
    whole = run_pace - middle["profiler"]  # "shares are of the pace less `profiler`"
    parts = {
        "pace_us": run_pace,
        "profiler_us": middle["profiler"],
        "lost_us": lost,
        "busy_us": middle["busy_us"],
        "communication_exposed_us": middle["communication_exposed_us"],
        "copy_exposed_us": middle["copy_exposed_us"],
        **{f"{cause}_us": time for cause, time in shares.items()},
    }
    verdict, named = decide(middle, lost, shares, whole)
    return verdict, named, parts


def decide(middle: Figures, lost: Fraction, shares: Figures, whole: Fraction) -> tuple[str, list[str]]:
    if 2 * middle["communication_exposed_us"] >= whole:
        return "communication_bound", []
    if 5 * lost <= whole:
        copying = 2 * middle["copy_exposed_us"] >= middle["busy_us"]
        return ("copy_bound" if copying else "compute_bound"), []
    first, second = sorted(shares, key=lambda cause: -shares[cause])[:2]
    if first == "open" or 10 * (shares[first] - shares[second]) <= whole:
        return "undecided", [first, second]
    return f"{first}_bound", [first]
