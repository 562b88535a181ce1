"""The same kernel, on the same shape, that takes a different time."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.kernel_table import KernelRow, ShapeRow
from tb_plugin_explain.evidence import need_gpu
from tb_plugin_explain.findings import Finding, NotMeasured, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# Clocks and caches move a kernel by a few percent; a third is more than they explain at ease.
MIN_SPREAD = 0.3
# A kernel below a tenth of the GPU's time moves no step that a reader would notice.
MIN_TIME_SHARE = 0.1
# A microsecond more or less is a large part of a shorter kernel.
MIN_MEDIAN_US = 20.0


def _varied(row: KernelRow, device_ns: int) -> Iterator[tuple[KernelRow, ShapeRow]]:
    """The shapes of a kernel that vary from step to step; communication waits for others."""
    for shape in row.shapes:
        costly = shape.time_ns >= MIN_TIME_SHARE * device_ns and shape.median_ns >= MIN_MEDIAN_US * 1000
        if costly and not row.communication and (shape.between or 0.0) >= MIN_SPREAD:
            yield row, shape


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    table = run.kernel_table
    if not any(s.between is not None for row in table.rows for s in row.shapes):
        raise NotMeasured("no kernel of a recorded shape ran in three averaged steps")
    device_ns = int(table.work.duration_ns.sum())
    varied = [pair for row in table.rows for pair in _varied(row, device_ns)]
    if not varied:
        return
    row, shape = varied[0]
    slowest, typical = shape.slowest_ns or 0.0, shape.median_ns
    step = run.steps[shape.slowest or 0].step.number
    extra = max(0.0, slowest - typical) * shape.count / table.work.steps
    yield Finding(
        verdict="expected",
        title=(
            f"The same kernel takes {wording.time_ns(typical)}, and {wording.time_ns(slowest)} in step {step}"
        ),
        text=(
            f"{wording.in_short(row.name)} took {wording.time_ns(typical)} in the median, but "
            f"{wording.time_ns(slowest)} on average in step {step}, launched in the same shape each time. A "
            "GPU that changes its clock (power, heat) or shares its memory with other work makes such "
            "differences. A single step is no measure of this run."
        ),
        advice=(
            "Compare medians over many steps, never single ones. To hold the clock still while you measure: "
            "nvidia-smi --lock-gpu-clocks."
        ),
        at_stake_us=0.0,
        looks_like_us=to_us(extra) or None,
        pill=f"a kernel of {wording.time_ns(slowest)} in step {step}" if extra else None,
        evidence=[
            Table(
                ["kernel", "shape", "count in all", "median_us", "spread between steps", "slowest step"],
                [
                    [
                        r.name,
                        s.shape,
                        s.count,
                        to_us(s.median_ns),
                        f"{100 * (s.between or 0):.0f} %",
                        run.steps[s.slowest or 0].step.number,
                    ]
                    for r, s in varied[:10]
                ],
            )
        ],
    )


RULE = Rule(
    id="kernel-variance",
    title="A kernel whose time varies",
    why="Whoever compares two single steps may measure the GPU’s clock instead of the change to the code.",
    link="https://docs.nvidia.com/deploy/nvidia-smi/index.html",
    check=_check,
)
