"""The job that lists what a file contains, by name, as an analysis process does it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import Struct

from tb_plugin_explain.analyses.name_table import NameTotals, count_names
from tb_plugin_explain.glossary import Verdict, what_is
from tb_plugin_explain.trace.model import Category
from tb_plugin_explain.trace.reader import read_trace
from tb_plugin_explain.wording import to_us

Progress = Callable[[str, float | None], None]

# Of each category, so that thousands of Python functions do not push the kernels out.
MOST_OF_A_CATEGORY = 100
# All of a name is in the trace; the longest ones would make up most of the answer.
_LONGEST_NAME = 1_000


class NameEntry(Struct, frozen=True):
    """One name with what the glossary says of it. ``total_us``: its durations summed."""

    name: str
    category: str
    count: int
    total_us: float
    human: str
    what: str
    why: str
    problem: str
    verdict: Verdict


class Names(Struct, frozen=True):
    """The names with the most time first. ``left_out``: how many more the trace has."""

    entries: Sequence[NameEntry]
    left_out: int


def list_names(path: str, on_progress: Progress, **_names: str | None) -> Names:
    """What a file contains, by name: at most ``MOST_OF_A_CATEGORY`` names of each category.

    Raises:
        TraceError: the file is no trace, or too damaged to be read.
    """
    trace = read_trace(path, lambda share: on_progress("reading", share))
    on_progress("analysing", None)
    found = count_names(trace)
    seen: Counter[Category] = Counter()
    kept = []
    for totals in found:
        seen[totals.category] += 1
        if seen[totals.category] <= MOST_OF_A_CATEGORY:
            kept.append(_entry(totals))
    return Names(kept, len(found) - len(kept))


def _entry(totals: NameTotals) -> NameEntry:
    said = what_is(totals.name, totals.category)
    return NameEntry(
        name=totals.name[:_LONGEST_NAME],
        category=said.category,
        count=totals.count,
        total_us=to_us(totals.total_ns),
        human=said.human[:_LONGEST_NAME],
        what=said.what,
        why=said.why,
        problem=said.problem,
        verdict=said.verdict,
    )
