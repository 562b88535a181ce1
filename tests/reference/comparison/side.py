"""One trace of a pair: the steps that are compared, the typical one, and the figures of every step."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from .. import names
from ..device import Devices, Gap
from ..headline import longest_period, pace
from ..intervals import Cover, length, take
from ..sections.basis import Basis, total
from ..sections.kernels import typical_step
from ..sections.nesting import nesting_of
from ..steps import Step
from .compiled import CompiledPath
from .figures import Value, figures_of_steps
from .operators import own_times


class Bubbles(Devices):
    """Of what made the device idle, a comparison asks for the refill bubbles alone."""

    def explain(
        self,
        step: Step,
        device: int,
        gap: Gap,
        bubbles: Cover,
        causes: dict[str, int],
        host_by: dict[str, int],
    ) -> None:
        _, rest = take([(gap.start, gap.end)], self.recording.profiler)
        bubble, _ = take(rest, bubbles)
        causes["sync_bubble"] += length(bubble)


class BasisOfSide(Basis):
    devices_of = Bubbles


@dataclass(frozen=True)
class StepFigures:
    """`follows`: whether the step before it is compared too."""

    number: int | None
    reasons: tuple[str, ...]
    compared: bool
    follows: bool
    values: dict[str, Value]


@dataclass(frozen=True)
class Work:
    """What the groups must sum to: GPU events of the typical step, or the own time of its operators."""

    of: str
    time: int
    events: int


@dataclass(frozen=True)
class Side:
    """Times in nanoseconds. `typical` is None where no compared step has GPU work; `typical_cpu`: by the
    operators' own time. `gpu_work`, `cpu_work`: of these two. `any_gpu_work`: in a compared step."""

    steps: tuple[StepFigures, ...]
    settled: bool
    pace: Fraction | None
    typical: int | None
    typical_cpu: int | None
    gpu_work: Work | None
    cpu_work: Work | None
    document: dict[str, Any]
    modes: tuple[bool, bool, bool]
    gpu_sets_pace: bool
    compiled: dict[str, Any] | None
    compiled_cpu: dict[str, Any] | None

    @property
    def compared(self) -> list[StepFigures]:
        return [s for s in self.steps if s.compared]

    @property
    def has_steps(self) -> bool:
        """A recording without any counts as one step that has no number."""
        return self.steps[0].number is not None

    @property
    def any_gpu_work(self) -> bool:
        return self.gpu_work is not None


@cache
def side_of(path: Path) -> Side:
    """The figures alone are kept: of the largest traces the events take half a gigabyte."""
    gc.disable()
    try:
        return _side(BasisOfSide(path))
    finally:
        nesting_of.cache_clear()
        gc.enable()


def _side(basis: Basis) -> Side:
    compiled = CompiledPath(basis)
    taxes = {step: compiled.tax_of(step) for step in basis.steps.steps}
    values = figures_of_steps(basis, taxes)
    own = own_times(basis) if not any(s.gpu_events for s in basis.averaged) else {}
    by_gpu = typical_step(basis.averaged) if any(s.gpu_events for s in basis.averaged) else None
    by_cpu = typical_by_own_time(own)
    return Side(
        steps=tuple(step_figures(basis, step, values[step]) for step in basis.steps.steps),
        settled=all(basis.settled.verdict[s] is True for s in basis.averaged),
        pace=pace(basis.settled, basis.gpu),
        typical=None if by_gpu is None else by_gpu.number,
        typical_cpu=None if by_cpu is None else by_cpu.number,
        gpu_work=None if by_gpu is None else Work("gpu", total(by_gpu.gpu_events), len(by_gpu.gpu_events)),
        cpu_work=None if by_cpu is None else Work("cpu", sum(own[by_cpu]), len(own[by_cpu])),
        document=basis.loaded.document,
        modes=modes_of(basis),
        gpu_sets_pace=gpu_sets_pace(basis),
        compiled=None if by_gpu is None else compiled.facts(by_gpu),
        compiled_cpu=None if by_cpu is None else compiled.facts(by_cpu),
    )


def modes_of(basis: Basis) -> tuple[bool, bool, bool]:
    """Stacks, shapes and memory, as the file says or shows: of some profilers only the events tell."""
    document, events = basis.loaded.document, basis.recording.events
    stacks = any(e.kind == names.PYTHON for e in events)
    shapes = any(e.kind == names.OP and basis.arguments(e).get("Input Dims") for e in events)
    memory = any(isinstance(raw, dict) and raw.get("name") == "[memory]" for raw in basis.loaded.raw_events)
    return (
        bool(document.get("with_stack")) or stacks,
        bool(document.get("record_shapes")) or shapes,
        bool(document.get("profile_memory")) or memory,
    )


def gpu_sets_pace(basis: Basis) -> bool:
    """Whether in most compared steps a period on a device is the longest."""
    longest = [longest_period(s, basis.gpu) for s in basis.averaged]
    on_devices = [max((g["period_us"] or 0 for g in basis.gpu[s] or []), default=0) for s in basis.averaged]
    return 2 * sum(a == b for a, b in zip(longest, on_devices, strict=True)) > len(longest)


def step_figures(basis: Basis, step: Step, values: dict[str, Value]) -> StepFigures:
    reasons = basis.settled.reasons[step] or ["not_known"]
    follows = bool(step.earlier) and step.earlier[-1] in basis.averaged
    return StepFigures(step.number, tuple(reasons), step in basis.averaged, follows, values)


def typical_by_own_time(own: dict[Step, list[int]]) -> Step | None:
    """ "Where neither side has GPU work, the same of the operators' own CPU time"."""
    sums = {step: sum(times) for step, times in own.items() if times}
    if not sums:
        return None
    middle = sorted(sums.values())[(len(sums) - 1) // 2]
    return max((s for s in sums if sums[s] == middle), key=lambda s: (s.start, s.index))
