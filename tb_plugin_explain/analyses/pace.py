"""What one step costs in the long run (docs/definitions.md, ``pace_us``)."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tb_plugin_explain.analyses.device_window import DeviceWindow
from tb_plugin_explain.trace.steps import ProfilerStep


def following(steps: Sequence[ProfilerStep], index: int) -> int | None:
    """Index of the next step of the same process, None for the last."""
    later = (i for i in range(index + 1, len(steps)) if steps[i].process == steps[index].process)
    return next(later, None)


def preceding(steps: Sequence[ProfilerStep], index: int) -> int | None:
    """Index of the step of the same process before this one, None for the first."""
    earlier = (i for i in range(index - 1, -1, -1) if steps[i].process == steps[index].process)
    return next(earlier, None)


def step_period_ns(steps: Sequence[ProfilerStep], index: int) -> int | None:
    """Start of the next step minus start of this one; None for the last."""
    after = following(steps, index)
    return None if after is None else steps[after].start_ns - steps[index].start_ns


def longest_period_ns(
    steps: Sequence[ProfilerStep], windows: Sequence[Sequence[DeviceWindow]], index: int
) -> int:
    """The longest of a step's period (of the last: its duration) and of its periods on the devices."""
    own = step_period_ns(steps, index)
    periods = [steps[index].duration_ns if own is None else own]
    return max(periods + [w.period_ns for w in windows[index] if w.period_ns is not None])


def follow_each_other(steps: Sequence[ProfilerStep], averaged: Sequence[int]) -> Sequence[int]:
    """The averaged steps that follow another of them."""
    return [i for i in averaged if preceding(steps, i) in averaged]


def paced_steps(steps: Sequence[ProfilerStep], averaged: Sequence[int]) -> Sequence[int]:
    """The averaged steps that follow another of them; all where none does.

    The device windows of the others also hold what a step that is left out left behind.
    """
    return follow_each_other(steps, averaged) or averaged


def find_pace_ns(
    steps: Sequence[ProfilerStep], windows: Sequence[Sequence[DeviceWindow]], averaged: Sequence[int]
) -> float | None:
    """The median over the averaged steps of the longest period; None where no process has two steps."""
    if all(following(steps, i) is None for i in range(len(steps))):
        return None
    return float(median(longest_period_ns(steps, windows, i) for i in paced_steps(steps, averaged)))
