"""Waits hidden in other calls: memory allocation, module loading, copies of pageable memory."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import averaged, calls_lane, step_lane, to_us, typical
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses

# Below this share of a step nobody would look for them.
MIN_WAIT_SHARE = 0.01
# A bubble below this share of a step is within the spread of most runs.
MIN_BUBBLE_SHARE = 0.01


def _calls_table(step: StepAnalyses) -> Table:
    rows = [
        [c.name, c.count, to_us(c.split.total_ns), to_us(c.split.gpu_busy_ns), to_us(c.split.gpu_idle_ns)]
        for c in step.wait_calls
        if not c.explicit
    ]
    return Table(["call", "count", "inside_us", "gpu_busy_us", "gpu_idle_us"], rows)


def _check(run: RunAnalyses) -> Iterator[Finding]:
    steps = averaged(run)
    if not steps:
        raise NotMeasured("the trace has no step")
    inside = typical([s.sync.implicit.total_ns for s in steps])
    step_ns = run.speed_ns or typical([s.step.duration_ns for s in steps])
    if inside < MIN_WAIT_SHARE * step_ns or step_ns <= 0:
        return
    known = [s for s in steps if not s.gpu_is_unknown]
    if not known:
        raise NotMeasured("no GPU event of these steps was recorded, so nobody can say what the calls cost")
    # What the explicit waits would have cost alone is promised by the rule about them.
    bubble = typical([s.bubble_ns - s.explicit_bubble_ns for s in known])
    costly = bubble >= MIN_BUBBLE_SHARE * step_ns
    step = max(known, key=lambda s: s.sync.implicit.total_ns)
    calls = [c for c in step.wait_calls if not c.explicit]
    cost = (
        f"The GPU then ran dry for {wording.time_ns(bubble)}; this much can be won back."
        if costly
        else "The GPU did not run dry because of them, so there is little to win."
    )
    yield Finding(
        verdict="fix" if costly else "expected",
        title=f"{wording.time_ns(inside)} a step in calls that wait without saying so",
        text=(
            f"{wording.listing([c.name for c in calls[:3]])} can make the CPU wait for the GPU although "
            f"{'its name does' if len(calls) == 1 else 'their names do'} not say so: memory is being allocated or "
            "freed, code is being loaded, or a copy goes through ordinary (pageable) memory. How long of it is waiting, "
            f"the trace does not say. {cost}"
        ),
        advice=(
            "Keep such calls out of the steps. Allocate once and reuse, use pin_memory=True with non_blocking=True for "
            "copies to the GPU, and let warm-up steps load all code."
        ),
        at_stake_us=to_us(bubble) if costly else 0.0,
        looks_like_us=None if costly else to_us(inside),
        evidence=[
            step_lane(run, [step]),
            calls_lane(run, [c.longest_row for c in calls]),
            _calls_table(step),
            Quantity("in such calls in a typical step", to_us(inside), "us"),
        ],
    )


RULE = Rule(
    id="implicit-waits",
    title="Waits hidden in other calls",
    why="cudaFree, cudaMalloc, a module load or a pageable copy may wait for the whole device, and nothing in their names says so.",
    link="https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html",
    check=_check,
)
