"""GPU time in which kernels only copy tensors: conversions, layouts, repetitions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tb_plugin_explain import launch_advice, wording
from tb_plugin_explain.analyses.launched_work import sums
from tb_plugin_explain.evidence import need_gpu, the_unit
from tb_plugin_explain.findings import Cell, Finding, NotMeasured, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Int64s
from tb_plugin_explain.wording import to_us

# Below a tenth of the GPU’s work other things come first.
MIN_SHARE = 0.1
# More rows than this nobody reads.
MAX_ROWS = 10

_WHY = {
    "aten::to": "conversions to another type",
    "aten::contiguous": "tensors brought into another order in memory",
    "aten::reshape": "views that could not be had without copying",
    "aten::clone": "explicit copies",
    "aten::repeat": "tensors repeated in memory",
}


def _reason(run: RunAnalyses, copies: Int64s) -> Int64s:
    """Of each copying operator the outermost one around it that says what the copy is for, else itself."""
    nesting = run.origins.nesting
    telling = run.origins.operators & run.trace.names_where(lambda n: n in _WHY or n == "aten::_to_copy")
    near = nesting.nearest(copies, telling)
    return np.where(near >= 0, nesting.top_of_run(near, telling), copies)


_ADVICE = (
    "Compare where these copies come from. Convert weights once instead of in every step, keep one memory "
    "layout, use expand instead of repeat"
)
_FUSE = "; torch.compile fuses most of the rest."


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    origins, work, names = run.origins, run.launched_work, run.trace.events.name
    if not origins.operators.any():
        raise NotMeasured("the recording has no operators")
    operator = origins.nesting.nearest(work.launch, origins.operators)
    is_copy = operator >= 0
    is_copy[is_copy] = run.trace.names_where(vocabulary.is_copy_operator)[operator[is_copy]]
    is_copy &= work.kernels > 0
    spent = int(work.time_ns[is_copy].sum())
    if not work.total_ns or spent < MIN_SHARE * work.total_ns:
        return
    steps = max(len(run.averaged), 1)
    tops = names[_reason(run, operator[is_copy])]
    by_top = sums(tops, work.time_ns[is_copy], len(run.trace.names))
    kernels = sums(tops, work.kernels[is_copy], len(run.trace.names))
    found = distinct(tops)
    order = found[np.argsort(-by_top[found], kind="stable")].tolist()
    first = run.trace.names[order[0]]
    meaning = f" ({_WHY[first]})" if first in _WHY else ""
    rows: list[list[Cell]] = [
        [run.trace.names[i], round(int(kernels[i]) / steps), to_us(int(by_top[i]) / steps)] for i in order
    ]
    yield Finding(
        verdict="undecided",
        title=f"{wording.percent(spent / work.total_ns)} of the GPU’s work is copying tensors",
        text=(
            f"In {the_unit(run)} kernels that compute nothing and only copy take "
            f"{wording.time_ns(spent / steps)} of the GPU. The largest part comes from {first}{meaning}. "
            "Some of it may be needed; which part, the trace does not say."
        ),
        advice=_ADVICE + ("." if launch_advice.is_mostly_compiled(run) else _FUSE),
        at_stake_us=None,
        looks_like_us=to_us(spent / steps),
        evidence=[
            Table(["asked by", "kernels", "gpu_us"], rows[:MAX_ROWS]),
            Quantity("share of the GPU’s work", 100 * spent / work.total_ns, "percent"),
        ],
    )


RULE = Rule(
    id="copies-by-kernel",
    title="Kernels that only copy",
    why=(
        "Type conversions, .contiguous(), repeat and reshape of transposed tensors move memory and compute "
        "nothing. They hide in the timeline as ordinary kernels."
    ),
    link="https://docs.pytorch.org/docs/stable/tensor_view.html",
    check=_check,
)
