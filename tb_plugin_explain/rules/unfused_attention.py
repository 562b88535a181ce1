"""Attention made of matrix products and a softmax kernel, which one fused kernel could replace."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import need_gpu, the_unit
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# A softmax over scores takes little time; where it takes a tenth of the GPU, the scores fill memory.
MIN_SHARE = 0.1
# Attention has two batched products around each softmax, and a classifier’s softmax has none.
MIN_PRODUCTS = 2

_SOFTMAX = "aten::_softmax"
_PRODUCTS = ("aten::bmm", "aten::baddbmm")


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    rows = {row.name: row for row in run.operators.rows}
    if not rows:
        raise NotMeasured("the recording has no operators")
    softmax = rows.get(_SOFTMAX)
    products = [rows[name] for name in _PRODUCTS if name in rows]
    bound = run.bound
    if softmax is None or bound is None or softmax.device_self_ns < MIN_SHARE * run.operators.device_ns:
        return
    if sum(p.calls for p in products) < MIN_PRODUCTS * softmax.calls:
        return
    certain = bound.verdict == "compute_bound"
    steps = max(len(run.averaged), 1)
    spent, share = softmax.device_self_ns / steps, softmax.device_self_ns / run.operators.device_ns
    times = wording.count(round(softmax.calls / steps), "softmax", "softmaxes")
    yield Finding(
        verdict="fix" if certain else "undecided",
        title=f"Softmax of attention takes {wording.time_ns(spent)} as a kernel of its own",
        text=(
            f"In {the_unit(run)} {times} between batched matrix products take {wording.percent(share)} of "
            "the GPU’s work: the scores of attention are written to memory, read, and written again. A fused "
            "attention kernel keeps them on the chip. At most the softmax’s time can be won"
            f"{'.' if certain else ', and only where the GPU is what the step waits for.'}"
        ),
        advice=(
            "Use scaled_dot_product_attention. It computes the same in one kernel; in transformers pass "
            'attn_implementation="sdpa" where the model offers it.'
        ),
        at_stake_us=to_us(spent) if certain else None,
        looks_like_us=None if certain else to_us(spent),
        evidence=[
            Table(
                ["operator", "calls", "gpu_us"],
                [
                    [r.name, round(r.calls / steps), to_us(r.device_self_ns / steps)]
                    for r in [softmax, *products]
                ],
            ),
            Quantity("softmax in the GPU’s work", 100 * share, "percent"),
        ],
    )


RULE = Rule(
    id="unfused-attention",
    title="Attention that is not fused",
    why="The scores of attention grow with the square of the sequence; fused kernels never write them.",
    link="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html",
    check=_check,
)
