"""A lane offset that the profiler made by asking for its buffers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.launch_latency import PARTS
from tb_plugin_explain.evidence import calls_lane, gpu_lane, numbers, step_lane, step_table
from tb_plugin_explain.findings import Finding, NotMeasured
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

# Where the profiler made less than half of an offset, it is not what the offset comes from.
MIN_SHARE_OF_OFFSET = 0.5
# Offsets shorter than this alarm nobody; a launch by itself takes about 10 µs.
MIN_OFFSET_NS = 50_000

_REQUEST = "“Activity Buffer Request”"
_WORK = ": it asks the driver for memory to record into, and the GPU waits for it."

_PROFILER, _QUEUE = PARTS.index("profiler"), PARTS.index("queue")


def _made_by_profiler(step: StepAnalyses) -> bool:
    offset = step.lane_offset
    if offset.first_ns is None or offset.first_parts_ns is None or offset.first_ns < MIN_OFFSET_NS:
        return False
    return offset.first_parts_ns[_PROFILER] >= MIN_SHARE_OF_OFFSET * offset.first_ns


def _queued_behind(run: RunAnalyses, index: int) -> list[StepAnalyses]:
    """The steps right after one whose offset is queueing, on a GPU that is far from busy."""
    if run.bound is None or run.bound.verdict != "host_bound":
        return []
    behind = []
    for step in run.steps[index + 1 :]:
        offset = step.lane_offset
        if not offset.first_ns or offset.first_parts_ns is None or offset.first_ns < MIN_OFFSET_NS:
            break
        if offset.first_parts_ns[_QUEUE] < 0.5 * offset.first_ns:
            break
        behind.append(step)
    return behind


def _overhead_rows(run: RunAnalyses, start_ns: int, end_ns: int) -> list[int]:
    events = run.trace.events
    rows = np.flatnonzero(run.recording.kinds.overhead_profiler)
    inside = (events.end_ns_of(rows) > start_ns) & (events.start_ns[rows] < end_ns)
    return [int(row) for row in rows[inside]]


def _trailing(behind: list[StepAnalyses]) -> str:
    which = wording.steps(numbers(behind)).capitalize()
    return f"{which} {'trails' if len(behind) == 1 else 'trail'} for the same reason"


def _text(
    step: StepAnalyses, offset_ns: int, profiler_ns: int, behind: list[StepAnalyses], names: list[str]
) -> str:
    text = (
        f"In {wording.steps([step.step.number])} the first kernel started {wording.time_ns(offset_ns)} "
        f"after its launch call. For {wording.time_ns(profiler_ns)} of that the profiler was at work "
        f"({wording.listing(names)}){_WORK if names == [_REQUEST] else '.'}"
    )
    if behind:
        text += (
            f" {_trailing(behind)}: the kernels stand in the queue behind that first one, not behind a "
            "busy GPU."
        )
    return text


def _check(run: RunAnalyses) -> Iterator[Finding]:
    if not len(run.recording.gpu):
        raise NotMeasured("no GPU event was recorded")
    disturbed = [s for s in run.steps if _made_by_profiler(s)]
    if not disturbed:
        return
    step = max(disturbed, key=lambda s: s.lane_offset.first_ns or 0)
    offset, parts = step.lane_offset.first_ns, step.lane_offset.first_parts_ns
    assert offset is not None
    assert parts is not None
    behind = _queued_behind(run, step.index)
    begin = step.step.start_ns
    rows = _overhead_rows(run, begin, begin + offset + step.step.duration_ns)
    names = sorted({f"“{run.trace.name_of(row)}”" for row in rows})
    yield Finding(
        verdict="artifact",
        title=f"The GPU lane starts {wording.time_ns(offset)} late because of the profiler",
        text=_text(step, offset, parts[_PROFILER], behind, names),
        advice=(
            "Ignore the offset. More warm-up steps (schedule(wait=1, warmup=2, active=5) or more) "
            "keep the request out "
            "of the steps that you look at."
        ),
        step=step.step.number,
        at_stake_us=0.0,
        looks_like_us=to_us(offset),
        pill=f"{wording.time_ns(offset)} lane offset in {wording.steps([step.step.number])}",
        evidence=[
            step_lane(run, [step, *behind]),
            calls_lane(run, rows, "Profiler"),
            gpu_lane(run, begin, begin + offset + 2 * step.step.duration_ns),
            step_table(
                [*disturbed, *behind],
                ["offset_us", "profiler_us", "queue_us"],
                lambda s: [
                    to_us(s.lane_offset.first_ns or 0),
                    *(
                        to_us((s.lane_offset.first_parts_ns or (0,) * len(PARTS))[i])
                        for i in (_PROFILER, _QUEUE)
                    ),
                ],
            ),
        ],
    )


RULE = Rule(
    id="profiler-buffer",
    title="A lane offset made by the profiler",
    why=(
        "A GPU lane that starts milliseconds late looks like slow launches; often it is the profiler "
        "fetching memory."
    ),
    link="https://docs.nvidia.com/cupti/main/main.html",
    check=_check,
)
