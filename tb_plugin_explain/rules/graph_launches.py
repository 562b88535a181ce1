"""Kernels that a graph launched: many with one call, and without operators."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import need_gpu, the_unit
from tb_plugin_explain.findings import Finding, Quantity
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us


def _check(run: RunAnalyses) -> Iterator[Finding]:
    need_gpu(run)
    table = run.kernel_table
    graph = table.in_graph
    if not graph.any():
        return
    steps = max(len(run.averaged), 1)
    launches, kernels = table.launch_calls(graph), int(graph.sum())
    time_ns, all_ns = int(table.duration_ns[graph].sum()), int(table.duration_ns.sum())
    share = f" ({wording.percent(time_ns / all_ns)} of all kernel time)" if all_ns else ""
    yield Finding(
        verdict="expected",
        title=(
            f"{wording.count(launches, 'graph launch', 'graph launches')} for "
            f"{wording.count(kernels, 'kernel')}"
        ),
        text=(
            f"In {the_unit(run)}, {wording.count(round(kernels / steps), 'kernel')}{share} came from "
            f"{wording.count(round(launches / steps), 'graph launch', 'graph launches')}. That is what "
            "graphs are for: one "
            "call hands over work that would need many. These kernels carry no operator, no module and no "
            "line of code, as the CPU replays a recording; they are missing there, not lost."
        ),
        advice=(
            "Leave it as it is. To see which operators a graph holds, record a run without graphs as well."
        ),
        at_stake_us=0.0,
        evidence=[
            Quantity("graph launches", launches, "count"),
            Quantity("kernels in graphs", kernels, "count"),
            Quantity("their time", to_us(time_ns), "us"),
        ],
    )


RULE = Rule(
    id="graph-launches",
    title="Graph launches",
    why=(
        "Operators that seem to launch nothing look like a fault of the trace; their kernels come from a "
        "graph."
    ),
    link="https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs",
    check=_check,
)
