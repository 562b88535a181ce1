"""GPU work that goes on after its step has ended on the CPU."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import averaged, gpu_lane, need_gpu, numbers, step_lane, step_table
from tb_plugin_explain.findings import Finding
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.rules.run_ahead import MIN_OFFSET_NS
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

# Less of a step than this looks like the end of the step itself.
MIN_SHARE = 0.2


def _outlives(step: StepAnalyses) -> bool:
    """Whether the work begins on time and ends late; where it begins late, run-ahead explains it."""
    offset = step.lane_offset
    if offset.first_ns is None or offset.end_ns is None or offset.first_ns >= MIN_OFFSET_NS:
        return False
    return offset.end_ns >= max(MIN_OFFSET_NS, MIN_SHARE * step.step.duration_ns)


def _late_ns(step: StepAnalyses) -> int:
    return step.lane_offset.end_ns or 0


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    steps = [s for s in averaged(run) if s.step.number is not None and _outlives(s)]
    if not steps:
        return
    step = max(steps, key=_late_ns)
    late = wording.time_ns(_late_ns(step))
    one = len(steps) == 1
    yield Finding(
        verdict="expected",
        title=f"GPU work of step {step.step.number} ends {late} after the step does",
        text=(
            f"The CPU launches work and goes on, so {wording.steps(numbers(steps))} "
            f"{'ends' if one else 'end'} on the CPU while the GPU is still at it. That work counts as the "
            "step’s that launched it, wherever it runs; cutting it off at the end of the step would hide it, "
            "and give it to the next one."
        ),
        advice="Leave it alone. It is how asynchronous execution looks, and costs nothing.",
        step=step.step.number,
        at_stake_us=0.0,
        looks_like_us=to_us(_late_ns(step)),
        pill=f"GPU work {late} beyond its step",
        evidence=[
            step_lane(run, [step]),
            gpu_lane(run, step.step.start_ns, step.step.end_ns + _late_ns(step)),
            step_table(
                steps,
                ["cpu_span_us", "gpu_ends_later_by_us"],
                lambda s: [to_us(s.step.duration_ns), to_us(_late_ns(s))],
            ),
        ],
    )


RULE = Rule(
    id="gpu-work-outlives-step",
    title="GPU work that outlives its step",
    why=(
        "A step that ends before its GPU work looks as if it had done nothing, or as if the next step did it."
    ),
    link="https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution",
    check=_check,
)
