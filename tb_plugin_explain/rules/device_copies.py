"""Copies inside the GPU's memory."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import gpu_sets_pace, need_gpu, the_unit
from tb_plugin_explain.findings import Finding, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.rules.copies_not_overlapped import at_stake_ns, copy_rows
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# Below a twentieth of the GPU's time there are larger things to look at.
MIN_SHARE = 0.05
# Below a hundredth of a step nobody would notice their end.
MIN_STEP_SHARE = 0.01


def _effect(lost_ns: float, paces: bool) -> str:
    if not paces:
        return "The GPU also runs dry for other reasons, so what they cost the run cannot be told."
    if lost_ns <= 0:
        return "Other work runs beside them."
    return f"At most {wording.time_ns(lost_ns)} can be won."


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    table, steps = run.copy_table, max(len(run.averaged), 1)
    device_ns = int(run.averaged_work.duration_ns.sum())
    copies = table.towards("DtoD")
    time_ns, count = copies.time_ns / steps, round(copies.count / steps)
    if (
        not copies.time_ns
        or copies.time_ns < MIN_SHARE * device_ns
        or time_ns < MIN_STEP_SHARE * (run.speed_ns or 0.0)
    ):
        return
    paces = gpu_sets_pace(run)
    lost = at_stake_ns(run, copies)
    wins = paces and lost > 0
    share = wording.percent(copies.time_ns / device_ns)
    yield Finding(
        verdict="fix" if wins else "undecided",
        title=f"Copies inside the GPU’s memory take {share} of its time",
        text=(
            f"In {the_unit(run)}, {wording.count(count, 'copy', 'copies')} from GPU memory to GPU memory "
            f"took {wording.time_ns(time_ns)}. They compute nothing: .contiguous(), .clone(), torch.cat and "
            "writing into another tensor make them, and so does DistributedDataParallel, which copies "
            f"gradients into its buckets. {_effect(lost, paces)}"
        ),
        advice=(
            "Let results be written where they are needed. Use out= or in-place operators, avoid changes of "
            "layout between operators, and gradient_as_bucket_view=True in DistributedDataParallel."
        ),
        at_stake_us=to_us(lost) if wins else None,
        looks_like_us=None if wins else to_us(time_ns),
        evidence=[
            copy_rows(run, "DtoD"),
            Quantity(f"copies inside the GPU in {the_unit(run)}", count, "count"),
        ],
    )


RULE = Rule(
    id="device-copies",
    title="Copies inside the GPU’s memory",
    why="A copy from GPU memory to GPU memory moves bytes twice and computes nothing.",
    link="https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html",
    check=_check,
)
