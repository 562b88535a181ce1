"""Which steps look like the run's steady state, and which are averaged."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from . import names
from .recording import Recording
from .steps import Step, Steps

MAD_FACTOR = Fraction(44478, 10000)


def median(values: Sequence[Fraction | int]) -> Fraction:
    ordered = sorted(Fraction(value) for value in values)
    if not ordered:
        raise ValueError("no median of nothing")
    n = len(ordered)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2


class Settled:
    def __init__(self, recording: Recording, steps: Steps) -> None:
        self.recording, self.steps = recording, steps
        self.reasons: dict[Step, list[str]] = {}
        self.verdict: dict[Step, bool | None] = {}
        for of_one_process in steps.by_pid.values():
            self._judge(of_one_process)

    def averaged(self) -> list[Step]:
        """The steps that are true; where none is, the null ones; where there are none either, all."""
        for wanted in (True, None):
            chosen = [s for s in self.steps.steps if self.verdict[s] is wanted]
            if chosen:
                return chosen
        return list(self.steps.steps)

    def _judge(self, steps: list[Step]) -> None:
        compiled = [self._compiles(s) for s in steps]
        for position, step in enumerate(steps):
            self.reasons[step] = self._reasons(step, compiled[position], not all(compiled[:position]))
        odd = (
            odd_steps(steps, [s for s in steps if not self.reasons[s]] or steps) if len(steps) >= 3 else set()
        )
        any_settled = False
        for step in steps:
            reasons = self.reasons[step]
            if step in odd:
                if not any_settled:
                    reasons.append("cold_start")
                elif not reasons:
                    reasons.append("outlier")
            self.verdict[step] = False if reasons else (True if len(steps) >= 3 else None)
            any_settled = any_settled or self.verdict[step] is True

    def _reasons(self, step: Step, compiles: bool, an_earlier_one_did_not: bool) -> list[str]:
        reasons = []
        if compiles:
            reasons.append("recompile" if an_earlier_one_did_not else "compiling")
        if self._loads(step):
            reasons.append("lazy_loading")
        if any(
            e.name in names.PROFILER_OVERHEAD
            and self.steps.begins_in(step, e.start)
            and 20 * (e.end - e.start) > step.duration
            for e in self.recording.overhead
        ):
            reasons.append("profiler_buffer")
        lost = sum(not group.owns for group in step.launch_groups)
        # "where the trace has any": without a single link nothing is known of who owns what.
        linked = any(e.launch is not None for e in self.recording.gpu)
        if linked and 10 * lost > len(step.launch_groups):
            reasons.append("cut_off")
        return reasons

    def _compiles(self, step: Step) -> bool:
        """ "compile event overlaps the window": one of the step's process, on any of its threads."""
        for event in self.recording.events:
            if (
                event.kind in names.THREAD_KINDS
                and names.is_compile(event.name)
                and step.pid in (None, event.pid)
            ):
                overlaps = event.start < step.end and event.end > step.start
                if overlaps or step.contains(event.start):
                    return True
        return False

    def _loads(self, step: Step) -> bool:
        calls = [c for c in self.recording.calls if names.is_loading_call(c.kind, c.name)]
        overhead = [e for e in self.recording.overhead if e.name in names.LOADING_OVERHEAD]
        return bool(self.steps.calls_of(step, calls)) or any(
            self.steps.begins_in(step, e.start) for e in overhead
        )


def structure(step: Step) -> Counter[tuple[str, str]]:
    """Counts of the step's GPU events by kind and name without digits."""
    return Counter((e.kind, re.sub(r"[0-9]", "", e.name)) for e in step.gpu_events)


def similarity(one: Counter[tuple[str, str]], other: Counter[tuple[str, str]]) -> Fraction:
    """Σmin/Σmax; two steps without GPU events are alike."""
    largest = sum((one | other).values())
    return Fraction(sum((one & other).values()), largest) if largest else Fraction(1)


def odd_steps(steps: list[Step], reference: list[Step]) -> set[Step]:
    structures = {step: structure(step) for step in steps}
    typical = None
    highest = Fraction(-1)
    for step in reference:  # "the member of V most similar to V (tie: latest)"
        total = sum((similarity(structures[step], structures[other]) for other in reference), Fraction(0))
        if total >= highest:
            typical, highest = step, total
    assert typical is not None
    durations = [s.duration for s in reference]
    middle = median(durations)
    spread = median([abs(d - middle) for d in durations])
    limit = max(MAD_FACTOR * spread, middle / 10)
    return {
        s
        for s in steps
        if similarity(structures[s], structures[typical]) < Fraction(9, 10)
        or abs(s.duration - middle) > limit
    }
