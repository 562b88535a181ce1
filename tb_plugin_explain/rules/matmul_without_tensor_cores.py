"""Matrix products in fp32 on ordinary cores, beside tensor cores that stay unused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.kernel_table import KernelRow
from tb_plugin_explain.evidence import gpu_sets_pace, need_gpu
from tb_plugin_explain.findings import Finding, Quantity, Table
from tb_plugin_explain.glossary import Facts, facts
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# Below a tenth of the GPU's time, a coarser number format is not worth the thought.
MIN_SHARE = 0.1

# A kernel runs on its architecture or a later one; from these on most GPUs have tensor cores …
_TF32 = {"Ampere", "Ada", "Hopper", "Blackwell"}
# … though only from Ampere on such that take fp32 operands.
_MATRIX_UNITS = {"Volta", "Turing", *_TF32}


def _is_plain(known: Facts) -> bool:
    return (
        known.tensor_cores is False
        and known.dtype == "fp32"
        and known.details.get("architecture") in _MATRIX_UNITS
        and (known.operation or "").startswith("matrix multiply")
    )


def _advice(rows: Sequence[KernelRow]) -> str:
    mixed = "compute in bfloat16 or float16 under torch.autocast"
    if not any(facts(row.name, "kernel").details.get("architecture") in _TF32 for row in rows):
        return f"Let the products run on tensor cores. Where the model bears it, {mixed}."
    return (
        'Let the products run on tensor cores. torch.set_float32_matmul_precision("high") rounds inputs to '
        f"TF32 and keeps sums in fp32; or {mixed}. Compare the model’s results before and after."
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    rows, device_ns = run.kernel_table.rows, int(run.averaged_work.duration_ns.sum())
    plain = [row for row in rows if _is_plain(facts(row.name, "kernel"))]
    spent_ns = sum(row.time_ns for row in plain)
    if not spent_ns or spent_ns < MIN_SHARE * device_ns or not gpu_sets_pace(run):
        return
    steps = max(len(run.averaged), 1)
    share = spent_ns / device_ns
    yield Finding(
        verdict="undecided",
        title=f"Matrix products without tensor cores take {wording.percent(share)} of the GPU’s time",
        text=(
            f"Products of fp32 numbers took {wording.time_ns(spent_ns / steps)} of kernel time a step, in "
            f"{wording.count(len(plain), 'kernel')} such as {wording.in_short(plain[0].name)}. Tensor "
            "cores multiply faster, on rounded inputs. Large products gain the most; how much here, "
            "and what the model bears, the recording does not tell."
        ),
        advice=_advice(rows),
        at_stake_us=None,
        looks_like_us=to_us(spent_ns / steps),
        evidence=[
            Table(
                ["kernel", "per_step", "time_per_step_us", "median_us"],
                [
                    [r.name, round(r.count / steps), to_us(r.time_ns / steps), to_us(r.median_ns)]
                    for r in plain[:5]
                ],
            ),
            Quantity("their share", 100 * share, "percent"),
        ],
    )


RULE = Rule(
    id="matmul-without-tensor-cores",
    title="Matrix products that leave tensor cores unused",
    why="Tensor cores multiply several times faster than other cores, and fp32 skips them by default.",
    link="https://docs.pytorch.org/docs/stable/generated/torch.set_float32_matmul_precision.html",
    check=_check,
)
