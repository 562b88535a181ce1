"""A lane offset that stands because the CPU runs ahead of a busy GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.bound import MAX_LOST
from tb_plugin_explain.analyses.launch_latency import PARTS
from tb_plugin_explain.evidence import averaged, need_fit, need_gpu, step_table, typical
from tb_plugin_explain.findings import Finding, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

# The offset is called queueing where the queue makes at least half of it.
MIN_QUEUE_SHARE = 0.5
# And only where the device is seen at work for half of it: what ran unrecorded may be anything.
MIN_BUSY_SHARE = 0.5
# Offsets shorter than this alarm nobody; a launch by itself takes about 10 µs.
MIN_OFFSET_NS = 100_000

_QUEUE = PARTS.index("queue")


def _offset_ns(step: StepAnalyses) -> int:
    """How far the GPU lane trails as the step begins."""
    return step.lane_offset.first_ns or 0


def _queues(step: StepAnalyses) -> bool:
    parts = step.lane_offset.first_parts_ns
    return parts is not None and parts[_QUEUE] >= MIN_QUEUE_SHARE * _offset_ns(step)


def _is_busy(run: RunAnalyses, step: StepAnalyses) -> bool:
    """Whether the device of the step’s first kernel is seen at work while that kernel is queued."""
    gpu, mine = run.recording.gpu, run.latencies_of_step[step.index]
    kernel = int(run.latencies.kernel[mine[0]])
    begin, start = int(gpu.launch_start_ns[kernel]), int(gpu.start_ns[kernel])
    busy = int(run.recording.work_of_device(int(gpu.device[kernel])).covered([begin], [start])[0])
    return busy >= MIN_BUSY_SHARE * _offset_ns(step)


def _growth_ns(steps: Sequence[StepAnalyses]) -> float:
    """Typical growth of the offset from one step to the next."""
    offsets = {(s.step.process, s.step.number): _offset_ns(s) for s in steps if s.step.number is not None}
    before = {(process, number + 1): offset for (process, number), offset in offsets.items()}
    return typical([offset - before[key] for key, offset in offsets.items() if key in before])


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    need_fit(run)
    bound = run.bound
    steps = [s for s in averaged(run) if s.lane_offset.first_ns is not None]
    if bound is None or not steps or bound.lost_ns > MAX_LOST * bound.base_ns:
        return
    last = steps[-1]
    if _offset_ns(last) < MIN_OFFSET_NS or not _queues(last) or not _is_busy(run, last):
        return
    growth, offset = _growth_ns(steps), wording.time_ns(_offset_ns(last))
    grows = growth > MIN_QUEUE_SHARE * MIN_OFFSET_NS
    where = "the start of the recording" if last.step.number is None else f"step {last.step.number}"
    trend = f", {wording.time_ns(growth)} more each step" if grows else ""
    yield Finding(
        verdict="expected",
        title=f"The GPU lane trails by {offset} because the CPU runs ahead",
        text=(
            f"At {where} the GPU lane trails the CPU lane by {offset}{trend}. "
            f"{wording.percent((last.lane_offset.first_parts_ns or (0,))[_QUEUE] / _offset_ns(last))} "
            "of that is queueing: the CPU hands out work faster than the GPU does it, so each kernel "
            "waits for the ones before it. A full queue is what you want: it keeps the GPU fed."
        ),
        advice="Leave it alone. To make the run faster, make the GPU’s work shorter.",
        step=last.step.number,
        at_stake_us=0.0,
        looks_like_us=to_us(_offset_ns(last)),
        pill=f"{offset} lane offset in {wording.steps([last.step.number])}",
        evidence=[
            step_table(
                steps,
                ["offset_us", "queue_us", "end_us"],
                lambda s: [
                    to_us(_offset_ns(s)),
                    to_us((s.lane_offset.first_parts_ns or (0,) * len(PARTS))[_QUEUE]),
                    None if s.lane_offset.end_ns is None else to_us(s.lane_offset.end_ns),
                ],
            ),
            Quantity("growth a step", to_us(growth), "us"),
        ],
    )


RULE = Rule(
    id="run-ahead",
    title="The CPU runs ahead of the GPU",
    why="A growing distance between launch and kernel looks like a growing delay; it is a queue that fills.",
    link="https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution",
    check=_check,
)
