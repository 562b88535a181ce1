"""Launches that became replays of a recorded graph."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.rules import ComparisonRule
from tb_plugin_explain.findings import Finding, NotMeasured, Table

# With more single launches left than this, the graphs are not what changed the CPU's part.
MAX_LEFT = 0.5


def _whole(median: float) -> float:
    """A count as such; a median may lie halfway between two."""
    return int(median) if median == int(median) else median


def _check(compared: Compared) -> Iterator[Finding]:
    old, new = compared.pair.sides
    facts = compared.compile
    launches, span = compared.deltas["launches"], compared.deltas["step_us"]
    if facts is None or not facts.graph_launches or old.launches_graphs or not launches.baseline:
        return
    if launches.candidate is None or span.baseline is None or span.candidate is None:
        raise NotMeasured("the candidate’s launches or CPU spans are not known")
    if launches.candidate > MAX_LEFT * launches.baseline:
        return
    of = "in the recording" if new.steps[0].step.number is None else "a step"
    before, after = (wording.amount(value, "count") for value in (launches.baseline, launches.candidate))
    yield Finding(
        verdict="expected",
        title=f"{wording.count(facts.graph_launches, 'graph launch', 'graph launches')} {of} "
        "took the place of single launches",
        text=(
            f"The baseline launches {before} times {of}, the candidate {after}. A graph launch hands "
            f"over many kernels at once. The CPU’s span went from {wording.time(span.baseline)} to "
            f"{wording.time(span.candidate)}. Kernels of a graph have no operator in the trace."
        ),
        advice="Nothing to do. Inputs must keep their shapes and addresses for a graph to be replayed.",
        evidence=(
            Table(
                ("side", "launches", "graph launches"),
                (
                    ("baseline", _whole(launches.baseline), 0),
                    (new.name, _whole(launches.candidate), facts.graph_launches),
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
