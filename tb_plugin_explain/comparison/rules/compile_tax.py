"""What the compiled path costs the CPU in each step, and whether the run notices."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.rules import ComparisonRule
from tb_plugin_explain.comparison.verdict import DEVICE_BOUND
from tb_plugin_explain.findings import Finding, NotMeasured, Table

# Less of a step than this is within the spread of most runs.
MIN_SHARE = 0.02


def _advice(compared: Compared) -> str:
    graphs = ' On a GPU, mode="reduce-overhead" replays the launches as a CUDA graph.'
    return (
        "Compile fewer and larger regions: one torch.compile around the whole model or step, no graph "
        "breaks. With small inputs, running eager may be as fast."
        + (graphs if compared.pair.candidate.has_gpu_work else "")
    )


def _check(compared: Compared) -> Iterator[Finding]:
    facts = compared.compile
    if facts is None:
        return
    if facts.tax_us is None or facts.tax is None or not compared.step_us:
        raise NotMeasured("the trace does not show the CPU’s part of the compiled path")
    if facts.tax_us < MIN_SHARE * compared.step_us:
        return
    bound = compared.bounds[1]
    hidden = bound is not None and bound.verdict in DEVICE_BOUND
    won = compared.headline.verdict == "faster"
    text = (
        f"Each step spends {wording.time(facts.tax_us)} on the CPU, "
        f"{wording.percent(facts.tax_us / compared.step_us)} of its pace, in torch.compile’s own machinery: "
        f"{wording.count(facts.lookups, 'cache lookup')} (is there compiled code for these inputs?), "
        "prologues and wrappers around it."
    )
    if hidden:
        text += " The GPU sets the pace, so the run does not notice."
    elif won:
        text += " The run is faster all the same."
    parts = facts.tax
    table = Table(
        ("part", "time_us"),
        (
            ("cache lookup", parts.lookup_us),
            ("prologue", parts.prologue_us),
            ("wrapper", parts.wrapper_us),
        ),
    )
    yield Finding(
        verdict="expected" if hidden or won else "fix",
        title=f"The compiled path costs the CPU {wording.time(facts.tax_us)} a step",
        text=text,
        advice="Nothing to do." if hidden or won else _advice(compared),
        at_stake_us=0.0 if hidden or won else min(facts.tax_us, compared.step_us),
        looks_like_us=facts.tax_us if hidden or won else None,
        evidence=(table,),
    )


RULE = ComparisonRule(
    id="compile-tax",
    title="What the compiled path costs the CPU",
    why="Every call of compiled code first checks that it fits its inputs. In a run whose CPU is the limit, "
    "that tax can eat what fusing kernels won.",
    link="https://docs.pytorch.org/docs/stable/torch.compiler_dynamo_overview.html",
    check=_check,
)
