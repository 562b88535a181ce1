"""What the compiled path costs the CPU in each step, and whether the run notices."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.rules import ComparisonRule
from tb_plugin_explain.comparison.verdict import DEVICE_BOUND
from tb_plugin_explain.comparison_schema import CompileFacts, CompileTax
from tb_plugin_explain.findings import Finding, NotMeasured, Table

# Less of a step than this is within the spread of most runs.
MIN_SHARE = 0.02


def _advice(compared: Compared, facts: CompileFacts) -> str:
    graphs = ' On a GPU, mode="reduce-overhead" replays the launches as a CUDA graph.'
    if facts.region_calls <= 1 and not facts.graph_breaks:
        advice = "It is one region already. With work this small, run eager, or give each step more to do."
    else:
        advice = (
            "Compile fewer and larger regions: one torch.compile around the whole model or step, no graph "
            "breaks. With small inputs, running eager may be as fast."
        )
    return advice + (graphs if compared.pair.candidate.has_gpu_work else "")


def _parts(compared: Compared, tax: CompileTax) -> Table:
    side = compared.pair.candidate
    number = None if side.shown is None else side.run.steps[side.shown].step.number
    rows = (("cache lookup", tax.lookup_us), ("prologue", tax.prologue_us), ("wrapper", tax.wrapper_us))
    return Table((f"part, in {wording.steps([number])}", "time_us"), rows)


def _check(compared: Compared) -> Iterator[Finding]:
    facts, median_us = compared.compile, compared.deltas["compile_tax_us"].candidate
    if facts is None:
        return
    if facts.tax_us is None or facts.tax is None or not compared.step_us:
        raise NotMeasured("the trace does not show the CPU’s part of the compiled path")
    tax_us = facts.tax_us if median_us is None else median_us
    if tax_us < MIN_SHARE * compared.step_us:
        return
    bound = compared.bounds[1]
    hidden = bound is not None and bound.verdict in DEVICE_BOUND
    free = hidden or compared.headline.verdict == "faster"
    remark = " The GPU sets the pace, so the run does not notice." if hidden else ""
    if free and not hidden:
        remark = " The run is faster all the same."
    yield Finding(
        verdict="expected" if free else "fix",
        title=f"The compiled path costs the CPU {wording.time(tax_us)} a step",
        text=(
            f"Each step spends {wording.time(tax_us)} on the CPU, "
            f"{wording.percent(tax_us / compared.step_us)} of its pace, in torch.compile’s own machinery: "
            f"{wording.count(facts.lookups, 'cache lookup')} (is there compiled code for these inputs?), "
            f"prologues and wrappers around it.{remark}"
        ),
        advice="Nothing to do." if free else _advice(compared, facts),
        at_stake_us=0.0 if free else min(tax_us, compared.step_us),
        looks_like_us=tax_us if free else None,
        evidence=(_parts(compared, facts.tax),),
    )


RULE = ComparisonRule(
    id="compile-tax",
    title="What the compiled path costs the CPU",
    why="Every call of compiled code first checks that it fits its inputs. In a run whose CPU is the limit, "
    "that tax can eat what fusing kernels won.",
    link="https://docs.pytorch.org/docs/stable/torch.compiler_dynamo_overview.html",
    check=_check,
)
