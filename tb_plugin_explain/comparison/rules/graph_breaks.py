"""Places where compiled code stops and plain Python runs in between."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.comparison.rules import ComparisonRule
from tb_plugin_explain.findings import Finding, Table

# Names of operators in one cell of the table.
_SHOWN_OPERATORS = 4


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _check(compared: Compared) -> Iterator[Finding]:
    facts = compared.compile
    if facts is None or not facts.graph_breaks:
        return
    rows = [
        (
            f"{b.before} → {b.after}",
            b.where or "",
            wording.listing(b.operators[:_SHOWN_OPERATORS]) or "none",
            b.between_us,
        )
        for b in facts.breaks
    ]
    yield Finding(
        verdict="fix",
        title=f"The compiled code is cut {_times(facts.graph_breaks)} in a step",
        text=(
            "A compiled region ends before its function does, and the rest runs as a region of its own. "
            "Between them Python and eager operators run, and nothing is fused across the cut."
        ),
        advice=(
            "See where and why with TORCH_LOGS=graph_breaks, or compile with fullgraph=True, which stops "
            "at the "
            "first. Usual causes: .item() or print in the model, a branch on a tensor’s value, a library "
            "call "
            "that cannot be traced."
        ),
        at_stake_us=None,
        evidence=(Table(("regions", "where", "operators", "between_us"), rows),),
    )


RULE = ComparisonRule(
    id="graph-breaks",
    title="Graph breaks",
    why="What torch.compile cannot trace ends its graph. Each cut costs a lookup and a return to Python, and "
    "hides fusion.",
    link="https://docs.pytorch.org/docs/stable/torch.compiler_troubleshooting.html",
    check=_check,
)
