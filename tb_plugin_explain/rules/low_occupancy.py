"""A kernel that leaves most of the GPU's threads unused, where its occupancy was recorded."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.kernel_table import KernelRow
from tb_plugin_explain.evidence import need_gpu
from tb_plugin_explain.findings import Finding, NotMeasured, Table
from tb_plugin_explain.glossary import facts
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# Memory latency is hidden from about a quarter of the threads on; below it bandwidth suffers.
MAX_PERCENT = 25.0
# A kernel below a tenth of the GPU's time is not worth the reader's time.
MIN_TIME_SHARE = 0.1
# Shorter kernels are bound by their start and end.
MIN_MEDIAN_US = 50.0
# The estimate has to speak for most of the kernel's time.
MIN_KNOWN_SHARE = 0.5

# They keep few threads with many registers each, on purpose: their occupancy says nothing about their speed.
# Inductor's templates are products, convolutions and attention.
_TILED = ("matrix multiply", "matrix-vector product", "convolution", "attention", "template")


def _is_tiled(name: str) -> bool:
    known = facts(name, "kernel")
    return known.tensor_cores is True or any(word in (known.operation or "") for word in _TILED)


def _is_low(row: KernelRow, device_ns: int) -> bool:
    occupancy = row.occupancy
    return (
        occupancy.percent is not None
        and occupancy.percent < MAX_PERCENT
        and occupancy.known_ns >= MIN_KNOWN_SHARE * row.time_ns
        and row.time_ns >= MIN_TIME_SHARE * device_ns
        and row.median_ns >= MIN_MEDIAN_US * 1000
        and not row.communication
        and not _is_tiled(row.name)
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    table = run.kernel_table
    if table.occupied(table.all).percent is None:
        raise NotMeasured("no kernel’s occupancy was recorded")
    device_ns = int(table.work.duration_ns.sum())
    low = [row for row in table.rows if _is_low(row, device_ns)]
    if not low:
        return
    first = low[0]
    yield Finding(
        verdict="undecided",
        title=(
            f"A kernel with {wording.percent(first.time_ns / device_ns)} of the GPU’s time fills little of it"
        ),
        text=(
            f"{wording.in_short(first.name)} keeps {wording.significant(first.occupancy.percent or 0)} % of "
            "the threads that the GPU can hold, by the profiler’s estimate from its launch. If it waits for "
            "memory, more threads would hide that; whether it does, the trace does not say."
        ),
        advice=(
            "Give this kernel more work a launch. Larger batches or merged calls make its grid larger; "
            "Nsight Compute says what it waits for."
        ),
        at_stake_us=None,
        evidence=[
            Table(
                ["kernel", "count in all", "time_us", "median_us", "occupancy %"],
                [
                    [
                        r.name,
                        r.count,
                        to_us(r.time_ns),
                        to_us(r.median_ns),
                        round(r.occupancy.percent or 0, 1),
                    ]
                    for r in low
                ],
            )
        ],
    )


RULE = Rule(
    id="low-occupancy",
    title="Kernels that fill little of the GPU",
    why=(
        "A kernel with few threads cannot hide how long memory takes, and most of the GPU stands idle "
        "meanwhile."
    ),
    link="https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html",
    check=_check,
)
