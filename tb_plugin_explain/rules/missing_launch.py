"""GPU events whose launch is not in the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.leftover_work import LeftoverWork
from tb_plugin_explain.findings import Finding, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# Above this share of the events' time, they are what was queued before recording began.
MIN_QUEUED_SHARE = 0.9
# Up to this share of the GPU's events and of their time, steps lack nothing that matters.
MAX_HARMLESS_SHARE = 0.01


def origin(run: RunAnalyses) -> Literal["queued", "few", "unknown"] | None:
    """What the GPU events without a launch are, None where there are none."""
    left, gpu = run.leftover_work, run.recording.gpu
    if not left.count:
        return None
    if left.before_ns and left.before_ns >= MIN_QUEUED_SHARE * left.time_ns:
        return "queued"
    all_ns = int((gpu.end_ns - gpu.start_ns).sum())
    few = left.count <= MAX_HARMLESS_SHARE * len(gpu) and left.time_ns <= MAX_HARMLESS_SHARE * all_ns
    return "few" if few else "unknown"


def _evidence(left: LeftoverWork) -> list[Quantity]:
    return [
        Quantity("GPU events without a launch", left.count, "count"),
        Quantity("their time", to_us(left.time_ns), "us"),
        Quantity("of it, before the first launched event", to_us(left.before_ns), "us"),
    ]


def _queued_before(time: str, left: LeftoverWork) -> Finding:
    events = wording.count(left.count, "GPU event was", "GPU events were")
    return Finding(
        verdict="artifact",
        title=f"{events} launched before recording began",
        text=(
            f"When the profiler started, {time} of work stood in the GPU’s queue, so the launch calls "
            "are not in the file. It keeps the GPU busy, and it is in no step’s figures."
        ),
        advice="Leave it alone. It only says that the GPU had a queue, which is healthy.",
        at_stake_us=0.0,
        looks_like_us=to_us(left.time_ns),
        pill=wording.count(left.count, "GPU event without a launch", "GPU events without a launch"),
        evidence=_evidence(left),
    )


def _too_few_to_matter(time: str, left: LeftoverWork) -> Finding:
    return Finding(
        verdict="expected",
        title=f"{wording.count(left.count, 'GPU event has', 'GPU events have')} no launch in this file",
        text=(
            f"The launch calls of {time} of work were lost, or made before recording began. It is in no "
            "step’s figures, and too little to move them."
        ),
        advice="Leave it alone. So few lost events change no figure that you could notice.",
        at_stake_us=0.0,
        evidence=_evidence(left),
    )


def _numberless(run: RunAnalyses) -> bool:
    """Whether nothing but a missing number keeps these events from their launches."""
    gpu = run.recording.gpu
    rows = gpu.row[~gpu.linked]
    return bool((run.trace.events.correlation[rows] == 0).all()) and bool(gpu.linked.any())


def _of_unknown_origin(run: RunAnalyses, time: str, left: LeftoverWork) -> Finding:
    belongs = (
        "No GPU event of this file has a launch, so each is given to the step in which it ran."
        if left.count == len(run.recording.gpu)
        else "It keeps the GPU busy, and it is in no step’s figures, which are too small by as much."
    )
    numberless = _numberless(run)
    return Finding(
        verdict="undecided",
        title=f"{wording.count(left.count, 'GPU event has', 'GPU events have')} no launch in this file",
        text=(
            f"Where {time} of work comes from is not known: "
            + (
                "these events carry no number (correlation) that ties them to a call"
                if numberless
                else "the launch calls were cut from the file, or lost"
            )
            + f". {belongs}"
        ),
        advice=(
            "Read the figures of steps without this work. Where the profiler of a device writes no "
            "correlation, another recording has none either."
            if numberless
            else "Record again, and keep the whole file. Filters that drop runtime calls drop the links too."
        ),
        at_stake_us=None,
        evidence=_evidence(left),
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    left, came = run.leftover_work, origin(run)
    time = wording.time_ns(left.time_ns)
    if came == "queued":
        yield _queued_before(time, left)
    elif came == "few":
        yield _too_few_to_matter(time, left)
    elif came == "unknown":
        yield _of_unknown_origin(run, time, left)


RULE = Rule(
    id="missing-launch",
    title="GPU events without a launch",
    why="Work of unknown origin belongs to no step; a reader should know how much of it there is.",
    link="https://docs.pytorch.org/docs/stable/profiler.html#torch.profiler.schedule",
    check=_check,
    about_trust=True,
)
