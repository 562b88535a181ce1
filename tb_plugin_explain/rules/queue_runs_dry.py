"""A CPU that is ahead of the GPU at first, and falls behind part way through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import averaged, need_fit, need_gpu, step_lane, step_table, the_unit, typical
from tb_plugin_explain.findings import Finding
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.rules.host_bound import MIN_SHARE as MIN_HOST_SHARE
from tb_plugin_explain.step_analyses import GpuStepAnalyses, RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

# With fewer launches on either side of the moment there is no before and after.
MIN_LAUNCHES = 10
# Before the moment nearly every launch finds the GPU at work, so the CPU is ahead.
MAX_LATE_BEFORE = 0.2
# After it most launches find it idle.
MIN_LATE_AFTER = 0.5
# And most of what the GPU waits for launches lies after it: a last few late launches are no turning point.
MIN_IDLE_AFTER = 0.5


def _gpu(step: StepAnalyses, device: int) -> GpuStepAnalyses | None:
    return next((g for g in step.gpu if g.device == device), None)


def _falls_behind(gpu: GpuStepAnalyses | None) -> bool:
    if gpu is None or gpu.queue.behind.at_ns is None:
        return False
    behind, after = gpu.queue.behind, gpu.queue.launches - gpu.queue.behind.after
    if min(behind.after, after) < MIN_LAUNCHES:
        return False
    if behind.late_before > MAX_LATE_BEFORE * behind.after or behind.late_after < MIN_LATE_AFTER * after:
        return False
    later, _ = gpu.causes_of_gaps(gpu.gaps.end_ns > (behind.at_ns or 0)).sums
    return _by_launches(later) >= MIN_IDLE_AFTER * _by_launches(gpu.idle.by_cause)


def _by_launches(by_cause: Mapping[str, int]) -> int:
    """What the GPU waited for launches."""
    return by_cause["host"] + by_cause["launch"]


def _into_step_ns(step: StepAnalyses, gpu: GpuStepAnalyses) -> int:
    return (gpu.queue.behind.at_ns or 0) - step.step.start_ns


def _rows(steps: Sequence[StepAnalyses], device: int) -> dict[int, GpuStepAnalyses]:
    return {s.index: g for s in steps if (g := _gpu(s, device)) is not None}


def _check(run: RunAnalyses) -> Iterator[Finding]:
    device = need_gpu(run)
    need_fit(run)
    bound = run.bound
    if bound is None or bound.shares_ns["host"] < MIN_HOST_SHARE * bound.base_ns:
        return
    steps = [s for s in averaged(run) if _falls_behind(_gpu(s, device))]
    if 2 * len(steps) <= len(averaged(run)):
        return
    gpus = _rows(steps, device)
    at = typical([_into_step_ns(s, gpus[s.index]) for s in steps])
    after = round(typical([gpus[s.index].queue.behind.after for s in steps]))
    of = round(typical([gpus[s.index].queue.launches for s in steps]))
    late = typical(
        [
            gpus[s.index].queue.behind.late_after
            / (gpus[s.index].queue.launches - gpus[s.index].queue.behind.after)
            for s in steps
        ]
    )
    yield Finding(
        verdict="fix",
        title=f"The CPU falls behind after {after:,} of {of:,} launches",
        text=(
            f"The CPU keeps ahead of the GPU for the first {wording.time_ns(at)} of {the_unit(run)}. From "
            f"then on {wording.percent(late)} of the launches find a GPU with nothing to do. The idle "
            "time itself is counted where the GPU waits for the CPU."
        ),
        advice=(
            "Shorten the CPU’s part after this moment. What comes before it already runs as fast as the "
            "GPU allows; shorter Python code and fewer launches help after it only."
        ),
        at_stake_us=None,
        evidence=[
            step_lane(run, steps),
            step_table(
                steps,
                ["behind_us", "launches before", "late before", "launches after", "late after"],
                lambda s: [
                    to_us(_into_step_ns(s, gpus[s.index])),
                    gpus[s.index].queue.behind.after,
                    gpus[s.index].queue.behind.late_before,
                    gpus[s.index].queue.launches - gpus[s.index].queue.behind.after,
                    gpus[s.index].queue.behind.late_after,
                ],
            ),
        ],
    )


RULE = Rule(
    id="queue-runs-dry",
    title="The moment at which the CPU falls behind",
    why=(
        "A step can begin with a full queue and end with an empty one. Only the part after the queue ran "
        "dry is worth making faster on the CPU."
    ),
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
    check=_check,
)
