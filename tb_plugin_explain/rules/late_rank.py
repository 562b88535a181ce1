"""A rank that lets the others wait; told from the files of several ranks."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.findings import Finding, NotMeasured, Table
from tb_plugin_explain.report_sections.communication import RanksTogether
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses

# Less than a twentieth of a step is the jitter of any job.
MIN_SHARE = 0.05

_LINK = "https://docs.pytorch.org/docs/stable/distributed.html"


def find_late_rank(cycle: RanksTogether, step_us: float) -> Iterator[Finding]:
    """The rank of a cycle that comes late most; ``step_us``: what a step takes on the slowest rank."""
    if not cycle.by_rank or cycle.collectives is None:
        return
    worst = max(cycle.by_rank, key=lambda r: r.late_us)
    steps = max(len(cycle.steps), 1)
    lost = worst.late_us / steps
    if worst.late_count == 0 or lost < MIN_SHARE * step_us:
        return
    yield Finding(
        verdict="fix",
        title=f"Rank {worst.rank} comes late, by {wording.time(lost)}",
        text=(
            f"Of {wording.count(cycle.collectives, 'collective')} that all ranks leave together, rank "
            f"{worst.rank} came last to {worst.late_count:,}; the others stood inside their kernels and "
            "waited. "
            f"Had it come with the next one, {wording.time(lost)} could be won back at most. How late a "
            "rank comes "
            "is told by durations: the shortest among the ranks is the transfer, the rest is waiting."
        ),
        advice=(
            f"Look at the report of rank {worst.rank} first. Something that the others do not do holds it "
            "up: more data, a slower CPU or GPU, work such as logging or saving."
        ),
        at_stake_us=lost,
        evidence=[
            Table(
                ["rank", "communication_us", "waiting_us", "times late", "late_by_us"],
                [[r.rank, r.time_us, r.waiting_us, r.late_count, r.late_us] for r in cycle.by_rank],
            )
        ],
        link=_LINK,
        rule="late-rank",
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    if run.communication_rows:
        raise NotMeasured("a late rank shows only where the files of several ranks are explained together")
    yield from ()


RULE = Rule(
    id="late-rank",
    title="A rank that comes late",
    why="Ranks that wait for a late one look busy: their waiting stands in the trace as communication.",
    link=_LINK,
    check=_check,
)
