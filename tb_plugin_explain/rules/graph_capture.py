"""Launches that a graph captures: the GPU runs none of them."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import captured_launches, captures_graphs, the_unit
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses


def _check(run: RunAnalyses) -> Iterator[Finding]:
    captured, made = captured_launches(run)
    if not made:
        raise NotMeasured("the averaged steps launch no kernel")
    if not captures_graphs(run):
        return
    yield Finding(
        verdict="undecided",
        title="This recording captures a graph",
        text=(
            f"In {the_unit(run)}, {captured:,} of {wording.count(made, 'kernel launch', 'kernel launches')} "
            "fall into the capture of a graph: the driver writes them down, and the GPU runs none of them. "
            "An idle GPU is normal here, and capturing is done once. How fast the run is, this recording "
            "does not tell."
        ),
        advice=(
            "Record the steps that replay the graph. There one launch runs all of these kernels, and their "
            "times are in the file."
        ),
        at_stake_us=None,
        evidence=[
            Quantity("captured launches", captured, "count"),
            Quantity("kernel launches", made, "count"),
        ],
    )


RULE = Rule(
    id="graph-capture",
    title="Recordings of a graph capture",
    why=(
        "While a graph is captured the CPU is busy and the GPU is not. That looks like a run that starves "
        "its GPU, and is none."
    ),
    link="https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs",
    check=_check,
    about_trust=True,
)
