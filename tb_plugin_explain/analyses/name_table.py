"""Every name of a trace with how often it occurs and how long in all: what there is to look up.

Invariant: the counts of all names sum to the trace's events.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain.trace.model import Category, Trace

# One kind of mark, numbered: `ProfilerStep#7` is looked up as `ProfilerStep#N`.
_STEP = re.compile(r"ProfilerStep#\d+$")
_ANY_STEP = "ProfilerStep#N"


class NameTotals(Struct, frozen=True):
    """One name in one category. total_ns: its durations summed, what lies inside one another twice."""

    name: str
    category: Category
    count: int
    total_ns: int


def _family(name: str) -> str:
    return _ANY_STEP if _STEP.match(name) else name


def count_names(trace: Trace) -> Sequence[NameTotals]:
    """All names, those with the most time first; of equal times, by name."""
    events = trace.events
    first: dict[str, int] = {}
    families = [first.setdefault(_family(name), i) for i, name in enumerate(trace.names)]
    family = np.array(families, np.int64)[events.name] if len(events) else np.zeros(0, np.int64)
    pairs, inverse, counts = np.unique(
        family * len(Category) + events.category, return_inverse=True, return_counts=True
    )
    totals = np.zeros(len(pairs), np.int64)
    np.add.at(totals, inverse, np.maximum(events.duration_ns, 0))
    found = []
    for pair, count, total in zip(pairs.tolist(), counts.tolist(), totals.tolist(), strict=True):
        name, category = divmod(pair, len(Category))
        found.append(NameTotals(_family(trace.names[name]), Category(category), count, total))
    return sorted(found, key=lambda n: (-n.total_ns, n.name, n.category))
