"""GPU events whose launch is not in the file."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.leftover_work import LeftoverWork
from tb_plugin_explain.evidence import to_us
from tb_plugin_explain.findings import Finding, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses

# Above this share of the events' time, they are what was queued before recording began.
MIN_QUEUED_SHARE = 0.9
# Below this share of the GPU's events, steps lack nothing that matters.
MAX_HARMLESS_SHARE = 0.01


def _evidence(left: LeftoverWork) -> list[Quantity]:
    return [
        Quantity("GPU events without a launch", left.count, "count"),
        Quantity("their time", to_us(left.time_ns), "us"),
        Quantity("of it, before the first launched event", to_us(left.before_ns), "us"),
    ]


def _queued_before(events: str, time: str, left: LeftoverWork) -> Finding:
    return Finding(
        verdict="artifact",
        title=f"{events} launched before recording began",
        text=(
            f"Their {time} of work stood in the GPU’s queue when the profiler started, so their "
            "launch calls are not in "
            "the file. They keep the GPU busy, and they are in no step’s figures."
        ),
        advice="Leave it alone. It only says that the GPU had a queue, which is healthy.",
        at_stake_us=0.0,
        looks_like_us=to_us(left.time_ns),
        pill=wording.count(left.count, "GPU event without a launch", "GPU events without a launch"),
        evidence=_evidence(left),
    )


def _of_unknown_origin(run: RunAnalyses, events: str, time: str, left: LeftoverWork) -> Finding:
    belongs = (
        "No GPU event of this file has a launch, so each is given to the step in which it ran."
        if left.count == len(run.recording.gpu)
        else "They keep the GPU busy, and they are in no step’s figures, which are too small by as much."
    )
    return Finding(
        verdict="undecided",
        title=f"{events} no launch in this file",
        text=(
            f"Where their {time} of work comes from is not known: the launch calls were cut from the "
            f"file, or lost. {belongs}"
        ),
        advice="Record again, and keep the whole file. Filters that drop runtime calls drop the links too.",
        at_stake_us=None,
        evidence=_evidence(left),
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    left = run.leftover_work
    if not left.count:
        return
    time = wording.time_ns(left.time_ns)
    harmless = left.count <= MAX_HARMLESS_SHARE * len(run.recording.gpu)
    if harmless or left.before_ns >= MIN_QUEUED_SHARE * left.time_ns:
        yield _queued_before(wording.count(left.count, "GPU event was", "GPU events were"), time, left)
    else:
        yield _of_unknown_origin(
            run, wording.count(left.count, "GPU event has", "GPU events have"), time, left
        )


RULE = Rule(
    id="missing-launch",
    title="GPU events without a launch",
    why="Work of unknown origin belongs to no step; a reader should know how much of it there is.",
    link="https://docs.pytorch.org/docs/stable/profiler.html#torch.profiler.schedule",
    check=_check,
    about_trust=True,
)
