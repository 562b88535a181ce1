"""A file that ends too early."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain.findings import Finding
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses


def _check(run: RunAnalyses) -> Iterator[Finding]:
    problem = run.problem("truncated")
    if problem is None:
        return
    read = len(run.trace.events)
    events = "1 whole event was read and is" if read == 1 else f"{read:,} whole events were read and are"
    yield Finding(
        verdict="undecided",
        title="The file ends too early",
        text=(
            f"It stops before its closing bracket. {events} shown; nothing after that is known. Events are "
            "not in the order of time, so kernels may be missing anywhere, and nothing is said about speed."
        ),
        advice=(
            "Wait, if it is still being written: it is read again when it changes. Else copy it again "
            "or record once more."
        ),
        at_stake_us=None,
    )


RULE = Rule(
    id="truncated",
    title="A file that ends too early",
    why="A cut file looks like a run with little GPU work.",
    link="https://docs.pytorch.org/docs/stable/profiler.html",
    check=_check,
    about_trust=True,
)
