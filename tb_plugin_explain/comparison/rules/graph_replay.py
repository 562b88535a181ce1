"""Launches that became replays of a recorded graph."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.rules import ComparisonRule
from tb_plugin_explain.findings import Finding, Table


def _check(compared: Compared) -> Iterator[Finding]:
    old, new = compared.pair.sides
    facts = compared.compile
    launches = compared.deltas["launches"]
    if facts is None or not facts.graph_launches or old.launches_graphs or not launches.baseline:
        return
    span = compared.deltas["step_us"]
    whole = new.steps[0].step.number is None
    of = "in the recording" if whole else "a step"
    yield Finding(
        verdict="expected",
        title=f"{wording.count(facts.graph_launches, 'graph launch', 'graph launches')} {of} "
        "took the place of single launches",
        text=(
            f"The baseline launches {launches.baseline:,g} times {of}, the candidate {launches.candidate:,g} "
            f"times, {facts.graph_launches:,} of them whole graphs. Such a call hands over many kernels at "
            f"once. The CPU’s span went from {wording.time(span.baseline or 0)} to "
            f"{wording.time(span.candidate or 0)}. Kernels of a graph have no operator in the trace."
        ),
        advice="Nothing to do. Inputs must keep their shapes and addresses for a graph to be replayed.",
        evidence=(
            Table(
                ("side", "launches", "graph launches"),
                (
                    ("baseline", launches.baseline, 0),
                    (new.name, launches.candidate, facts.graph_launches),
                ),
            ),
        ),
    )


RULE = ComparisonRule(
    id="graph-replay",
    title="Graph launches instead of single launches",
    why='mode="reduce-overhead" records a CUDA graph and replays it: the launches vanish from the CPU’s '
    "lane, the kernels stay.",
    link="https://docs.pytorch.org/docs/stable/torch.compiler_cudagraph_trees.html",
    check=_check,
)
