"""What GPU work is called for people, by name: the labels of its rectangles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tb_plugin_explain.glossary import what_is
from tb_plugin_explain.timeline.store import LONGEST_NAME
from tb_plugin_explain.trace.categories import GPU_WORK
from tb_plugin_explain.trace.model import Category, Trace

# The others keep the names that the trace has.
MOST_NAMES = 1000


def find_human_names(trace: Trace, kinds: Mapping[str, npt.NDArray[Any]]) -> dict[str, str]:
    """By name, cut as windows cut it: those with the most time that the glossary can tell.

    kinds: the table of kinds, see ``tables``.
    """
    work = np.flatnonzero(np.isin(kinds["kind_category"], GPU_WORK))
    longest = work[np.argsort(-kinds["kind_total_ns"][work], kind="stable")][:MOST_NAMES]
    found: dict[str, str] = {}
    for kind in longest.tolist():
        name = trace.names[int(kinds["kind_name"][kind])]
        said = what_is(name, Category(int(kinds["kind_category"][kind])))
        if said.telling:
            found.setdefault(name[:LONGEST_NAME], said.human)
    return found
