"""Launch calls that are held up behind the GPU's own work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.blocked_launches import LongLaunch
from tb_plugin_explain.evidence import averaged, calls_lane, gpu_lane, need_gpu, the_unit, typical
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# Below a hundredth of a step nobody would look for them.
MIN_SHARE = 0.01
# The section on the queue lists the others.
MAX_ROWS = 20
# The GPU was at work for nearly all of that time, so that the calls cannot have starved it.
MIN_BUSY_SHARE = 0.9


def _why(calls: Sequence[LongLaunch]) -> str:
    full = [c for c in calls if c.reason == "full_queue"]
    ahead = round(typical([c.ahead for c in full or calls]))
    if full:
        return (
            f"The launch queue was full, with {wording.count(ahead, 'launch', 'launches')} ahead: a launch "
            "then waits until the GPU has begun an earlier one."
        )
    return (
        "Work that was launched earlier on the same stream had not ended when "
        f"{'it' if len(calls) == 1 else 'they'} returned "
        f"({wording.count(ahead, 'launch', 'launches')} ahead). A launch waits like this where the launch "
        "queue is full; whether it was, the trace does not say."
    )


def _table(run: RunAnalyses, calls: Sequence[LongLaunch]) -> Table:
    gpu, names = run.recording.gpu, run.trace.names
    return Table(
        ["step", "call", "kernel", "call_us", "usual_us", "ahead"],
        [
            [
                run.steps[c.step].step.number,
                run.trace.name_of(c.row),
                wording.kernel(names[int(gpu.name[c.first])]),
                to_us(c.duration_ns),
                to_us(c.usual_ns),
                c.ahead,
            ]
            for c in calls[:MAX_ROWS]
        ],
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    if not run.recording.gpu.linked.any():
        raise NotMeasured("no GPU event of this file has a launch")
    calls = run.blocked
    total, step_ns = sum(c.duration_ns for c in calls), run.speed_ns or 0.0
    a_step = total / max(len(averaged(run)), 1)
    if not calls or a_step < MIN_SHARE * step_ns:
        return
    busy = run.device_busy_ns(calls)
    harmless = busy >= MIN_BUSY_SHARE * total
    longest = calls[0]
    outcome = (
        f"The GPU was at work for {wording.percent(busy / total)} of that time, so it was not starved "
        f"meanwhile: {'this call waits' if len(calls) == 1 else 'these calls wait'} neither for "
        f"{'its' if len(calls) == 1 else 'their'} own kernel nor because it is costly to launch."
        if harmless
        else f"But the GPU showed no work for {wording.percent(1 - busy / total)} of that time: something "
        "that the trace does not show held up the whole queue, and with it the CPU."
    )
    time = wording.time_ns(a_step)
    yield Finding(
        verdict="expected" if harmless else "undecided",
        title=f"{time} in launch calls that stand behind {'a busy GPU' if harmless else 'a stuck queue'}",
        text=(
            f"{wording.count(len(calls), 'launch call lasts', 'launch calls last up to')} "
            f"{wording.time_ns(longest.duration_ns)}, where such a call usually takes "
            f"{wording.time_ns(longest.usual_ns)}. {_why(calls)} {outcome}"
        ),
        advice=(
            "Leave it alone. The CPU is far ahead of the GPU, which is healthy; make the GPU’s work shorter."
            if harmless
            else "Record once more with sync events (enable_cuda_sync_events=True)"
            f"{' and the traces of all ranks' if (run.trace.meta.world_size or 1) > 1 else ''}. They show "
            "what the queue waits for."
        ),
        at_stake_us=0.0 if harmless else None,
        looks_like_us=to_us(a_step if harmless else (total - busy) / len(averaged(run))),
        pill=f"{time} in launch calls" if harmless else None,
        evidence=[
            calls_lane(run, [c.row for c in calls], "Launch calls"),
            gpu_lane(run, longest.start_ns, longest.start_ns + longest.duration_ns),
            _table(run, calls),
            Quantity(f"held up in {the_unit(run)}", to_us(a_step), "us"),
        ],
    )


RULE = Rule(
    id="launch-blocked",
    title="Launches behind a full queue",
    why=(
        "A launch call of milliseconds looks like an expensive kernel or a hidden wait. Mostly the launch "
        "queue is full, because the CPU is far ahead of the GPU."
    ),
    link="https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution",
    check=_check,
)
