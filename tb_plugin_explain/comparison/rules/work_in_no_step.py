"""Much GPU work of unknown origin, which no figure of a step and no group holds."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.pair import Side
from tb_plugin_explain.comparison.rules import ComparisonRule
from tb_plugin_explain.findings import Finding, Table
from tb_plugin_explain.rules.missing_launch import origin
from tb_plugin_explain.wording import to_us


def _is_concerned(side: Side) -> bool:
    """Where no event at all has a launch, each is given to the step in which it ran, and none is missing."""
    recording = side.run.recording
    in_no_step = ~recording.gpu.linked & (recording.step_of_gpu < 0)
    return bool(in_no_step.any()) and origin(side.run) == "unknown"


def _share(side: Side) -> float:
    gpu = side.run.recording.gpu
    return side.run.leftover_work.time_ns / max(1, int((gpu.end_ns - gpu.start_ns).sum()))


def _told(side: Side) -> str:
    time = wording.time_ns(side.run.leftover_work.time_ns)
    return f"in the {side.name} {time} ({wording.percent(_share(side))} of its GPU time)"


def _check(compared: Compared) -> Iterator[Finding]:
    concerned = [side for side in compared.pair.sides if _is_concerned(side)]
    if not concerned:
        return
    yield Finding(
        verdict="undecided",
        title="GPU work without a launch is compared with nothing",
        text=(
            f"GPU work has no launch in its file: {wording.listing([_told(s) for s in concerned])}. "
            "Nobody can say which step it belongs to, so it is in no figure and in no group here. What is "
            "said of the rest may not hold for the runs."
        ),
        advice="Record again, and keep the whole files. Filters that drop runtime calls drop the links too.",
        at_stake_us=None,
        evidence=(
            Table(
                ("run", "events without a launch", "time_us"),
                [(s.name, s.run.leftover_work.count, to_us(s.run.leftover_work.time_ns)) for s in concerned],
            ),
        ),
    )


RULE = ComparisonRule(
    id="work-in-no-step",
    title="Work that is compared with nothing",
    why="A comparison of steps says nothing of work whose step is not known; a reader should know how much.",
    link="https://docs.pytorch.org/docs/stable/profiler.html#torch.profiler.schedule",
    check=_check,
)
