"""Idle time that is the sum of many short gaps between queued kernels."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import launch_advice, wording
from tb_plugin_explain.analyses.gap_table import GapTable
from tb_plugin_explain.evidence import averaged, need_gpu, step_table, the_time, the_unit, typical
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

# From one queued kernel to the next a GPU takes 1 to 3 µs; longer gaps have a cause of their own.
MAX_GAP_NS = 10_000
# Less than this share of a step is not worth a word.
MIN_SHARE = 0.03
# From this share on, fewer kernels are worth the work.
MIN_FIX_SHARE = 0.1
# Fewer gaps are not many.
MIN_GAPS = 50

_WORTH = (
    "Make fewer and larger kernels. torch.compile fuses small ones, and CUDA graphs "
    '(mode="reduce-overhead") shorten the way from one to the next.'
)
_SMALL = (
    "Leave it alone, unless every percent counts. Fusing kernels (torch.compile) and CUDA graphs make such "
    "gaps fewer and shorter."
)


def _short(step: StepAnalyses, device: int) -> tuple[int, int]:
    """Number and time of the step's short gaps in which work was queued."""
    tables: list[GapTable] = [g.gaps for g in step.gpu if g.device == device]
    short = [t.where((t.length_ns <= MAX_GAP_NS) & (2 * t.queued_ns > t.length_ns)) for t in tables]
    return sum(len(t) for t in short), sum(int(t.length_ns.sum()) for t in short)


def _check(run: RunAnalyses) -> Iterator[Finding]:
    device = need_gpu(run)
    bound = run.bound
    if not run.recording.gpu.linked.any():
        raise NotMeasured("no GPU event of this file has a launch")
    steps = [s for s in averaged(run) if s.gpu]
    count = round(typical([_short(s, device)[0] for s in steps]))
    time = typical([_short(s, device)[1] for s in steps])
    if bound is None or count < MIN_GAPS or time < MIN_SHARE * bound.base_ns:
        return
    share = time / bound.base_ns
    worth = share >= MIN_FIX_SHARE
    spent = wording.time_ns(time)
    yield Finding(
        verdict="fix" if worth else "expected",
        title=f"{count:,} short gaps between queued kernels add up to {spent}",
        text=(
            f"In {wording.percent(share)} of {the_time(run)} the GPU goes from one kernel to the next, "
            f"{wording.time_ns(time / count)} each time. The next kernel is launched already, so the CPU is "
            "not to blame: this is what starting a kernel costs."
            + (" The time is counted where the GPU waits for launches." if worth else "")
        ),
        advice=launch_advice.next_step(run, _WORTH if worth else _SMALL),
        at_stake_us=None if worth else 0.0,
        looks_like_us=None if worth else to_us(time),
        pill=None if worth else f"{count:,} short gaps",
        evidence=[
            step_table(
                steps, ["count", "gaps_us"], lambda s: [_short(s, device)[0], to_us(_short(s, device)[1])]
            ),
            Quantity(f"short gaps in {the_unit(run)}", count, "count"),
            Quantity("their time", to_us(time), "us"),
        ],
    )


RULE = Rule(
    id="many-small-gaps",
    title="Short gaps between queued kernels",
    why=(
        "Thousands of gaps of a microsecond or two look like a GPU that is never quite busy. Only fewer or "
        "larger kernels change them; a faster CPU does not."
    ),
    link="https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs",
    check=_check,
)
