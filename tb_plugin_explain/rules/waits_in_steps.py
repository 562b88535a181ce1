"""Explicit waits inside steps: which calls, what the GPU did meanwhile, what is recoverable."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import (
    calls_lane,
    gpu_lane,
    nearest,
    need_fit,
    step_lane,
    steps_with_known_gpu,
    the_unit,
    typical,
)
from tb_plugin_explain.findings import Cell, Finding, NotMeasured, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.wording import to_us

# Waits below this share of a step change nothing that a reader could notice.
MIN_WAIT_SHARE = 0.01
# A bubble below this share of a step is within the spread of most runs.
MIN_BUBBLE_SHARE = 0.01


def _calls_table(step: StepAnalyses) -> Table:
    rows: list[list[Cell]] = [
        [c.name, c.count, to_us(c.split.total_ns), to_us(c.split.gpu_busy_ns), to_us(c.split.gpu_idle_ns)]
        for c in step.wait_calls
        if c.kind == "explicit"
    ]
    return Table(["call", "count", "waiting_us", "gpu_busy_us", "gpu_idle_us"], rows)


@dataclass(frozen=True)
class _Waiting:
    """The waits of a typical step; all in ns. idle: the GPU did nothing meanwhile."""

    total: float
    busy: float
    idle: float
    bubble: float
    step: float

    @property
    def costly(self) -> bool:
        return self.bubble >= MIN_BUBBLE_SHARE * self.step

    @property
    def free(self) -> bool:
        """Whether neither a bubble nor the calls' own time is worth a word."""
        return self.bubble <= 0 and self.idle < MIN_BUBBLE_SHARE * self.step


def _title(waiting: _Waiting) -> str:
    if waiting.costly:
        return f"Waiting for the GPU lets it run dry for {wording.time_ns(waiting.bubble)}"
    total = wording.time_ns(waiting.total)
    if waiting.bubble > 0:
        return f"{total} of waiting costs almost nothing"
    return f"{total} of waiting {'costs nothing' if waiting.free else 'never lets the GPU run dry'}"


def _meanwhile(waiting: _Waiting) -> str:
    work = (
        f"For {wording.percent(waiting.busy / waiting.total)} of that time the GPU was at work, which it had "
        "to do anyway."
        if waiting.busy > 0
        else "The trace shows no GPU work meanwhile."
    )
    if waiting.free:
        return f"{work} It never ran dry because of a wait, so nothing of it can be won back."
    if waiting.bubble <= 0:
        return (
            f"{work} It never ran dry because of a wait: the rest is the calls’ own time, in which the GPU "
            "had nothing to do either."
        )
    return (
        f"{work} But the CPU could not hand out new work meanwhile, so the GPU then ran dry for "
        f"{wording.time_ns(waiting.bubble)}. Only this refill bubble can be won back, not the whole wait."
    )


def _advice(step: StepAnalyses) -> str:
    names = {c.name for c in step.wait_calls if c.kind == "explicit"}
    if all(vocabulary.is_device_wide_wait(name) for name in names):
        return (
            "Synchronise less often. torch.cuda.synchronize() is needed for timing, hardly ever for correct "
            "results."
        )
    return (
        "Read results back less often. Each .item(), .cpu(), print of a tensor or explicit synchronize makes "
        "the CPU wait; keep the value on the GPU, or fetch it every N steps."
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_fit(run)
    steps = steps_with_known_gpu(run)
    waiting = _Waiting(
        total=typical([s.sync.explicit.total_ns for s in steps]),
        busy=typical([s.sync.explicit.gpu_busy_ns for s in steps]),
        idle=typical([s.sync.explicit.gpu_idle_ns for s in steps]),
        bubble=typical([s.bubbles_on(run.busiest_device)[1] for s in steps]),
        step=run.speed_ns or typical([s.step.duration_ns for s in steps]),
    )
    if waiting.step <= 0 or waiting.total < MIN_WAIT_SHARE * waiting.step:
        return
    if steps[0].gpu_is_unknown:
        raise NotMeasured("no GPU event of these steps was recorded, so nobody can say what the waits cost")
    # Rounded up: where every other step waits, half a call a step is no 0.
    calls = math.ceil(typical([s.sync.calls for s in steps]))
    waited, costly = wording.time_ns(waiting.total), waiting.costly
    step = nearest(steps, waiting.total, lambda s: s.sync.explicit.total_ns)
    row = next(c.longest_row for c in step.wait_calls if c.kind == "explicit")
    start, end = int(run.trace.events.start_ns[row]), int(run.trace.events.end_ns[row])
    yield Finding(
        verdict="fix" if costly else "expected",
        step=None,
        title=_title(waiting),
        text=(
            f"In {the_unit(run)} the CPU makes {wording.count(calls, 'call')} that "
            f"{'waits' if calls == 1 else 'wait'} for the GPU, {waited} in all. {_meanwhile(waiting)}"
        ),
        advice=(
            _advice(step)
            if costly
            else "Leave these waits alone, unless the CPU has something better to do meanwhile."
        ),
        at_stake_us=to_us(waiting.bubble),
        looks_like_us=None if costly else to_us(waiting.total),
        pill=None if costly else f"{waited} of waiting",
        evidence=[
            step_lane(run, [step]),
            calls_lane(run, [c.longest_row for c in step.wait_calls if c.kind == "explicit"]),
            gpu_lane(run, start, end + (end - start) // 4),
            _calls_table(step),
            Quantity(f"waiting in {the_unit(run)}", to_us(waiting.total), "us"),
            Quantity(f"refill bubble in {the_unit(run)}", to_us(waiting.bubble), "us"),
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
