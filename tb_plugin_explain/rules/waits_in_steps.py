"""Explicit waits inside steps: which calls, what the GPU did meanwhile, what is recoverable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import averaged, calls_lane, gpu_lane, step_lane, the_unit, to_us, typical
from tb_plugin_explain.findings import Cell, Finding, NotMeasured, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses

# Waits below this share of a step change nothing that a reader could notice.
MIN_WAIT_SHARE = 0.01
# A bubble below this share of a step is within the spread of most runs.
MIN_BUBBLE_SHARE = 0.01


def _step_ns(run: RunAnalyses, steps: Sequence[StepAnalyses]) -> float:
    return run.speed_ns or typical([s.step.duration_ns for s in steps])


def _calls_table(step: StepAnalyses) -> Table:
    rows: list[list[Cell]] = [
        [c.name, c.count, to_us(c.split.total_ns), to_us(c.split.gpu_busy_ns), to_us(c.split.gpu_idle_ns)]
        for c in step.wait_calls
        if c.kind == "explicit"
    ]
    return Table(["call", "count", "waiting_us", "gpu_busy_us", "gpu_idle_us"], rows)


def _meanwhile(waited_ns: float, busy_ns: float, bubble_ns: float) -> str:
    share = wording.percent(busy_ns / waited_ns)
    if bubble_ns <= 0:
        return (
            f"For {share} of that time the GPU was at work, which it had to do anyway, and it never ran dry "
            "because of a wait. Nothing of it can be won back."
        )
    return (
        f"For {share} of that time the GPU was at work, which it had to do anyway. But the CPU "
        "could not hand "
        f"out new work meanwhile, so the GPU then ran dry for {wording.time_ns(bubble_ns)}. "
        "Only this refill bubble can be won back, not the whole wait."
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    steps = averaged(run)
    if not steps:
        raise NotMeasured("the trace has no step")
    waited = typical([s.sync.explicit.total_ns for s in steps])
    step_ns = _step_ns(run, steps)
    if waited < MIN_WAIT_SHARE * step_ns or step_ns <= 0:
        return
    known = [s for s in steps if not s.gpu_is_unknown]
    if not known:
        raise NotMeasured("no GPU event of these steps was recorded, so nobody can say what the waits cost")
    busy = typical([s.sync.explicit.gpu_busy_ns for s in known])
    bubble = typical([s.explicit_bubble_ns for s in known])
    calls = typical([s.sync.calls for s in steps])
    costly = bubble >= MIN_BUBBLE_SHARE * step_ns
    step = max(known, key=lambda s: (s.explicit_bubble_ns, s.sync.explicit.total_ns))
    row = next(c.longest_row for c in step.wait_calls if c.kind == "explicit")
    start, end = int(run.trace.events.start_ns[row]), int(run.trace.events.end_ns[row])
    yield Finding(
        verdict="fix" if costly else "expected",
        step=None,
        title=(
            f"Waiting for the GPU lets it run dry for {wording.time_ns(bubble)}"
            if costly
            else f"{wording.time_ns(waited)} of waiting costs nothing"
            if bubble <= 0
            else f"{wording.time_ns(waited)} of waiting costs almost nothing"
        ),
        text=(
            f"In {the_unit(run)} the CPU makes {wording.count(round(calls), 'call')} that "
            f"{'waits' if round(calls) == 1 else 'wait'} for the GPU, {wording.time_ns(waited)} in all. "
            f"{_meanwhile(waited, busy, bubble)}"
        ),
        advice=(
            "Read results back less often. Each .item(), .cpu(), print of a tensor or explicit "
            "synchronize makes the "
            "CPU wait; keep the value on the GPU, or fetch it every N steps."
            if costly
            else "Leave these waits alone, unless the CPU has something better to do meanwhile."
        ),
        at_stake_us=to_us(bubble),
        looks_like_us=None if costly else to_us(waited),
        pill=None if costly else f"{wording.time_ns(waited)} of waiting",
        evidence=[
            step_lane(run, [step]),
            calls_lane(run, [c.longest_row for c in step.wait_calls if c.kind == "explicit"]),
            gpu_lane(run, start, end + (end - start) // 4),
            _calls_table(step),
            Quantity(f"waiting in {the_unit(run)}", to_us(waited), "us"),
            Quantity(f"refill bubble in {the_unit(run)}", to_us(bubble), "us"),
        ],
    )


RULE = Rule(
    id="waits-in-steps",
    title="Waits inside steps",
    why=(
        "A wait stops the CPU from handing out work. What it costs is the time that the GPU then runs "
        "dry, and only that."
    ),
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#avoid-unnecessary-cpu-gpu-synchronization",
    check=_check,
)
