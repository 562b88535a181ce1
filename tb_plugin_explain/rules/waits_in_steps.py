"""Explicit waits inside steps: which calls, what the GPU did meanwhile, what is recoverable."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.call_sites import CallSite
from tb_plugin_explain.evidence import (
    calls_lane,
    gpu_lane,
    named_site,
    nearest,
    need_fit,
    site_table,
    step_lane,
    steps_with_known_gpu,
    the_unit,
    typical,
    where,
)
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.wording import to_us

# Waits below this share of a step change nothing that a reader could notice.
MIN_WAIT_SHARE = 0.01
# A bubble below this share of a step is within the spread of most runs.
MIN_BUBBLE_SHARE = 0.01


def _asked_for(run: RunAnalyses, sites: Sequence[CallSite], costly: bool) -> str:
    """The site that the largest part comes from, where the trace knows more than the call’s name."""
    if not sites:
        return ""
    top = sites[0] if costly else max(sites, key=lambda site: site.averaged.waiting_ns)
    if top.operator is None and where(top) is None:
        return ""
    return f" The largest part is asked for by {named_site(run, top)}."


class _Waiting(Struct, frozen=True):
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
        return f"{work} It never ran dry because of these calls, so nothing of it can be won back."
    if waiting.bubble <= 0:
        return (
            f"{work} It never ran dry because of a wait: the rest is the calls’ own time, in which the GPU "
            "had nothing to do either."
        )
    return (
        f"{work} But the CPU could not hand out new work meanwhile, so the GPU then ran dry for "
        f"{wording.time_ns(waiting.bubble)}. Only this refill bubble can be won back, not the whole wait."
    )


def _times_algorithms(sites: Sequence[CallSite]) -> bool:
    """Whether most waiting is for events inside convolutions: so cuDNN and MIOpen time algorithms."""
    timing = [s for s in sites if "conv" in (s.operator or "") and any("EventSync" in c for c in s.calls)]
    return 2 * sum(s.averaged.waiting_ns for s in timing) > sum(s.averaged.waiting_ns for s in sites)


def _threads(run: RunAnalyses, rows: Sequence[int]) -> str:
    """Waits of several threads pass at the same time, so their sum may be longer than the step."""
    lanes = distinct(run.trace.events.lane[np.array(rows, np.int64)])
    return f", summed over {len(lanes)} threads" if len(lanes) > 1 else ""


def _advice(run: RunAnalyses, rows: Sequence[int], sites: Sequence[CallSite]) -> str:
    if _times_algorithms(sites):
        return (
            "Keep the shapes of convolutions constant. With torch.backends.cudnn.benchmark=True each new "
            "shape makes the library time its algorithms; a warm-up pays for that once."
        )
    if all(vocabulary.is_device_wide_wait(run.trace.name_of(row)) for row in rows):
        return (
            "Synchronise less often. torch.cuda.synchronize() is needed for timing, hardly ever for correct "
            "results."
        )
    return (
        "Read results back less often. Each .item(), .cpu(), print of a tensor or explicit synchronize makes "
        "the CPU wait; keep the value on the GPU, or fetch it every N steps."
    )


def _bubble_ns(run: RunAnalyses, step: StepAnalyses) -> int:
    """What the explicit waits add to those that other findings name."""
    bubbles = step.bubbles_on(run.busiest_device)
    return bubbles.explicit_ns - bubbles.claimed_ns


def _waiting(run: RunAnalyses, steps: Sequence[StepAnalyses]) -> _Waiting:
    splits = [s.general_waits(explicit=True) for s in steps]
    return _Waiting(
        total=typical([w.total_ns for w in splits]),
        busy=typical([w.gpu_busy_ns for w in splits]),
        idle=typical([w.gpu_idle_ns for w in splits]),
        bubble=typical([_bubble_ns(run, s) for s in steps]),
        step=run.speed_ns or typical([s.step.duration_ns for s in steps]),
    )


def _rows(run: RunAnalyses, step: StepAnalyses) -> Sequence[int]:
    """Rows of the step’s explicit waits that no other finding names, the longest first."""
    waits = run.waits
    here = waits.of_step[step.index]
    mine = here[waits.explicit[here] & ~run.claimed_waits[here]]
    longest = mine[np.argsort(waits.start_ns[mine] - waits.end_ns[mine], kind="stable")]
    rows: Sequence[int] = waits.row[longest].tolist()
    return rows


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_fit(run)
    steps = steps_with_known_gpu(run)
    waiting = _waiting(run, steps)
    if waiting.step <= 0 or waiting.total < MIN_WAIT_SHARE * waiting.step:
        return
    if steps[0].gpu_is_unknown:
        raise NotMeasured("no GPU event of these steps was recorded, so nobody can say what the waits cost")
    # Rounded up: where every other step waits, half a call a step is no 0.
    calls = math.ceil(typical([len(_rows(run, s)) for s in steps]))
    waited, costly = wording.time_ns(waiting.total), waiting.costly
    step = nearest(steps, waiting.total, lambda s: s.general_waits(explicit=True).total_ns)
    rows, sites = _rows(run, step), run.general_sites
    start, end = int(run.trace.events.start_ns[rows[0]]), int(run.trace.events.end_ns_of(rows[0]))
    yield Finding(
        verdict="fix" if costly else "expected",
        step=None,
        title=_title(waiting),
        text=(
            f"In {the_unit(run)} the CPU makes {wording.count(calls, 'call')} that "
            f"{'waits' if calls == 1 else 'wait'} for the GPU, {waited} in all{_threads(run, rows)}. "
            f"{_meanwhile(waiting)}"
            f"{_asked_for(run, sites, costly)}"
        ),
        advice=(
            _advice(run, rows, sites)
            if costly
            else "Leave these waits alone, unless the CPU has something better to do meanwhile."
        ),
        at_stake_us=to_us(waiting.bubble) if costly else 0.0,
        looks_like_us=None if costly else to_us(waiting.total),
        pill=None if costly else f"{waited} of waiting",
        evidence=[
            step_lane(run, [step]),
            calls_lane(run, rows),
            gpu_lane(run, start, end + (end - start) // 4),
            site_table(run, sites),
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
