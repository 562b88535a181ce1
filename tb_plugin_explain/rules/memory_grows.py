"""Memory that grows in every settled step: what a leak looks like."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.memory_use import Growth, MemoryUse
from tb_plugin_explain.evidence import need_memory, numbers, on_device, operator_table
from tb_plugin_explain.findings import Finding, NotMeasured, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses

# 64 KiB a step are 6 GiB in 100,000 steps; what grows slower does not end a run.
MIN_GROWTH_BYTES = 65536
# More operators than this make no table.
MAX_OPERATORS = 5


def _grows(run: RunAnalyses, growth: Growth) -> bool:
    settled = all(run.settled[i].settled for i in growth.steps)
    return settled and min(growth.growths) >= MIN_GROWTH_BYTES


def _finding(run: RunAnalyses, use: MemoryUse, growth: Growth) -> Finding:
    steps = [run.steps[i] for i in growth.steps]
    typical = wording.size(median(growth.growths))
    left = f" {wording.size(growth.kept[0].size_bytes)} of it" if growth.kept else ""
    holder = run.operator_name(growth.kept[0].operator) if growth.kept else ""
    kept = f" Of what these steps left behind,{left} was allocated by {holder}." if growth.kept else ""
    return Finding(
        verdict="fix",
        title=f"Memory grows by {typical} in every step{on_device(use)}",
        text=(
            f"At the end of each of {wording.steps(numbers(steps))} more was allocated than at the end "
            "of the "
            f"step before: {wording.size(min(growth.growths))} to {wording.size(max(growth.growths))} more. "
            f"Settled steps give back what they take, unless something keeps it.{kept}"
        ),
        advice=(
            "Stop keeping tensors from step to step. A list of losses keeps the graph of each; keep "
            "loss.item() or loss.detach() instead, and look at caches that nobody empties."
        ),
        at_stake_us=None,
        evidence=[
            Table(
                ["step", "growth_bytes"],
                [[s.step.number, g] for s, g in zip(steps, growth.growths, strict=True)],
            ),
            operator_table(run, growth.kept[:MAX_OPERATORS]),
            Quantity("growth of a step", median(growth.growths), "bytes"),
        ],
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    grown = [(use, use.growth) for use in need_memory(run) if use.growth is not None]
    if not grown:
        raise NotMeasured("fewer than three settled steps follow one to compare with")
    for use, growth in grown:
        if _grows(run, growth):
            yield _finding(run, use, growth)


RULE = Rule(
    id="memory-grows",
    title="Memory that grows from step to step",
    why="Memory that every settled step adds to ends the run hours later, far from its cause.",
    link="https://docs.pytorch.org/docs/stable/notes/faq.html",
    check=_check,
)
