"""Kernels that take less time than their launches."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import launch_advice, wording
from tb_plugin_explain.evidence import gpu_sets_pace, need_gpu, the_unit
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Bools
from tb_plugin_explain.wording import to_us

# Where most kernels are short, the CPU cannot keep ahead of the GPU.
MIN_SHORT_SHARE = 0.5
# A handful of short kernels is in every step.
MIN_SHORT_A_STEP = 20
# A launch takes some 5 to 10 µs; a call far longer than that was held up, by loading or a full queue.
LONGEST_CALL_US = 50.0
# More names than this nobody reads.
MAX_ROWS = 10

_ADVICE = (
    "Launch less often. torch.compile fuses chains of small operators into one kernel, CUDA graphs "
    '(mode="reduce-overhead") launch many with one call, and the foreach and fused optimizers replace a '
    "kernel for each parameter."
)


def _by_name(run: RunAnalyses, usual: Bools) -> Table:
    """The names whose calls take most, of the launches that nothing held up."""
    table = run.kernel_table
    kinds = distinct(table.name[usual & (table.duration_ns < table.call_ns)]).tolist()
    sums = [(run.trace.names[kind], table.short(usual & (table.name == kind))) for kind in kinds]
    return Table(
        ["kernel", "count in all", "kernels_us", "their_calls_us"],
        [
            [name, short.count, to_us(short.time_ns), to_us(short.call_ns)]
            for name, short in sorted(sums, key=lambda pair: (-pair[1].call_ns, pair[0]))[:MAX_ROWS]
        ],
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    table = run.kernel_table
    judged = table.judged
    if not judged.any():
        raise NotMeasured("no kernel has a launch of its own to compare it with")
    usual = judged & (table.call_ns <= LONGEST_CALL_US * 1000)
    short = table.short(usual)
    steps = max(table.work.steps, 1)
    share = short.count / len(table.position)
    if share < MIN_SHORT_SHARE or short.count < MIN_SHORT_A_STEP * steps:
        return
    hidden = gpu_sets_pace(run)
    count, call_ns, time_ns = round(short.count / steps), short.call_ns / steps, short.time_ns / steps
    effect = (
        "The GPU does not run dry all the same, as longer kernels keep its queue filled."
        if hidden
        else (
            "The GPU runs dry, and what it loses is counted under the causes of its idle time and not again "
            "here; how much fewer launches would give back, the trace cannot say."
        )
    )
    yield Finding(
        verdict="expected" if hidden else "undecided",
        title=f"{wording.percent(share)} of the kernels are shorter than their launch",
        text=(
            f"In {the_unit(run)}, {wording.count(count, 'kernel')} took {wording.time_ns(time_ns)} on the "
            f"GPU, and the calls that launched them {wording.time_ns(call_ns)} on the CPU. {effect}"
        ),
        advice=(
            "Leave them alone until the GPU runs dry." if hidden else launch_advice.next_step(run, _ADVICE)
        ),
        at_stake_us=0.0 if hidden else None,
        evidence=[
            _by_name(run, usual),
            Quantity(f"short kernels in {the_unit(run)}", count, "count"),
        ],
    )


RULE = Rule(
    id="short-kernels",
    title="Kernels shorter than their launch",
    why="A kernel that is shorter than its launch cannot keep the GPU busy, however fast it is.",
    link="https://docs.pytorch.org/docs/stable/torch.compiler.html",
    check=_check,
)
