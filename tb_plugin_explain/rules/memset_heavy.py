"""Much filling of memory with zeros."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import averaged, gpu_sets_pace, need_gpu, the_unit, typical, worked_ns
from tb_plugin_explain.findings import Finding, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# Below a twentieth of the GPU's time there are larger things to look at.
MIN_SHARE = 0.05
# Below a hundredth of a step nobody would notice their end.
MIN_STEP_SHARE = 0.01


def _at_stake_ns(run: RunAnalyses, device: int) -> float:
    """What a step wins at most without memsets: 0 where the GPU does not set the pace."""
    if run.bound is None or not gpu_sets_pace(run):
        return 0.0
    alone = [g.memset_alone_ns for s in averaged(run) for g in s.gpu if g.device == device]
    return min(typical(alone), worked_ns(run.bound))


def _check(run: RunAnalyses) -> Iterator[Finding]:
    device = need_gpu(run)
    memsets = run.copy_table.memsets
    device_ns, steps = int(run.averaged_work.duration_ns.sum()), max(len(run.averaged), 1)
    time_ns, count = memsets.time_ns / steps, round(memsets.count / steps)
    if not memsets.time_ns or memsets.time_ns < MIN_SHARE * device_ns:
        return
    if time_ns < MIN_STEP_SHARE * (run.speed_ns or 0.0):
        return
    at_stake = _at_stake_ns(run, device)
    yield Finding(
        verdict="fix" if at_stake else "undecided",
        title=f"Filling memory takes {wording.percent(memsets.time_ns / device_ns)} of the GPU’s time",
        text=(
            f"In {the_unit(run)}, {wording.count(count, 'memset')} took "
            f"{wording.time_ns(time_ns)}. Gradients that are set to zero instead of "
            "dropped, torch.zeros for "
            "tensors that are overwritten anyway, and matrix multiplications that split their sums make them."
        ),
        advice=(
            "Use optimizer.zero_grad(set_to_none=True), and torch.empty for what is overwritten anyway. "
            "Buffers that are filled anew in each step can often be kept."
        ),
        at_stake_us=to_us(at_stake) if at_stake else None,
        looks_like_us=None if at_stake else to_us(time_ns),
        evidence=[
            Table(
                ["memsets", "count in all", "time_us", "alone_us"],
                [
                    [r.name, r.figures.count, to_us(r.figures.time_ns), to_us(r.figures.alone_ns)]
                    for r in run.copy_table.rows
                    if r.kind == "memset"
                ],
            ),
            Quantity(f"memsets in {the_unit(run)}", count, "count"),
        ],
    )


RULE = Rule(
    id="memset-heavy",
    title="Much filling of memory",
    why="Zeros that are overwritten before anybody reads them are bytes written for nothing.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
    check=_check,
)
