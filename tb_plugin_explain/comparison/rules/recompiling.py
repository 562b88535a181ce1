"""Steps of the candidate that compiled again after others had run without compiling."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.rules import ComparisonRule
from tb_plugin_explain.findings import Finding, Table


def _check(compared: Compared) -> Iterator[Finding]:
    facts, side = compared.compile, compared.pair.candidate
    if facts is None or not facts.recompiles:
        return
    again = [step for step in side.run.steps if "recompile" in step.settled.because]
    typical_us = compared.deltas["step_us"].candidate or 0.0
    rows = [(step.step.number, step.step.duration_ns / 1000) for step in again]
    longest_us = max(time_us for _, time_us in rows)
    yield Finding(
        verdict="fix",
        title=f"{wording.count(len(again), 'step')} compiled again",
        text=(
            f"{wording.steps([number for number, _ in rows]).capitalize()} of the candidate compiled again "
            f"although earlier steps ran without: up to {wording.time(longest_us)} for a step that otherwise "
            f"takes {wording.time(typical_us)}. The medians and groups leave such steps out."
        ),
        advice=(
            "See why with TORCH_LOGS=recompiles. Usual causes: inputs of a new size (pad them, or "
            "torch._dynamo.mark_dynamic), a Python number or flag that changes from call to call, "
            "a module switched between train and eval."
        ),
        step=again[0].step.number if len(again) == 1 else None,
        at_stake_us=None,
        evidence=(Table(("step", "duration_us"), rows),),
    )


RULE = ComparisonRule(
    id="recompiling",
    title="Steps that compile again",
    why="torch.compile compiles once for what it has seen. Inputs that break its assumptions compile it "
    "again, "
    "which takes seconds in the middle of a run.",
    link="https://docs.pytorch.org/docs/stable/torch.compiler_dynamic_shapes.html",
    check=_check,
)
