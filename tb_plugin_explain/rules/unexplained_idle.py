"""Idle time of the GPU that the trace cannot explain."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import averaged, need_fit, need_gpu, step_table, the_time, typical
from tb_plugin_explain.findings import Finding
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

# Less than a twentieth of a step can be the sum of many small uncertainties.
MIN_SHARE = 0.05


def _unknown_ns(step: StepAnalyses, device: int) -> int:
    return sum(g.idle.by_cause["unknown"] for g in step.gpu if g.device == device)


def _advice(run: RunAnalyses) -> str:
    """What a better recording has that this one can still get."""
    ranks = (run.trace.meta.world_size or 1) > 1
    keep = " and keep the files of all ranks" if ranks else ""
    others = " The other ranks’ files show who waited for whom." if ranks else ""
    if len(run.steps) > 1:
        return f"Record again with fewer steps{keep}. A shorter recording loses no events.{others}"
    return (
        f"Record once more{keep or ', with nothing else on the GPU'}. What is missing from both files was "
        f"not lost by chance.{others}"
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    device = need_gpu(run)
    need_fit(run)
    bound = run.bound
    if bound is None:
        return
    unknown = typical([_unknown_ns(s, device) for s in averaged(run) if s.gpu])
    if unknown < MIN_SHARE * bound.base_ns:
        return
    yield Finding(
        verdict="undecided",
        title=f"{wording.time_ns(unknown)} without work, and the trace cannot say why",
        text=(
            f"For {wording.percent(unknown / bound.base_ns)} of {the_time(run)} the GPU shows no work "
            "although the next kernel was already launched, or its launch was not recorded. Kernels may "
            "be missing from the file, or another process or another GPU may have kept this one "
            "waiting; nothing here tells which, so none is named."
        ),
        advice=_advice(run),
        at_stake_us=None,
        looks_like_us=to_us(unknown),
        evidence=[
            step_table(
                averaged(run),
                ["unexplained_us", "cpu_span_us"],
                lambda s: [to_us(_unknown_ns(s, device)), to_us(s.step.duration_ns)],
            )
        ],
    )


RULE = Rule(
    id="unexplained-idle",
    title="Idle time that the trace cannot explain",
    why=(
        "A hole without any event is easily given a convenient cause. It has none until a better "
        "recording shows it."
    ),
    link="https://docs.pytorch.org/docs/stable/profiler.html",
    check=_check,
)
