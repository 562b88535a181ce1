"""Sides and pairs of drawn traces and of files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tb_plugin_explain.comparison.build import make_side
from tb_plugin_explain.comparison.pair import Pair
from tb_plugin_explain.trace.model import Trace
from tb_plugin_explain.trace.reader import read_trace
from tests.trace_drawing import draw

# Four like steps of which the CPU sets the pace, and four of which the GPU does.
HOST_BOUND = """
    step:[1       ][2       ][3       ][4       ]
    cpu :[a]       [b]       [c]       [d]
    s7  :  [a ]      [b ]      [c ]      [d ]
"""
GPU_BOUND = """
    step:[1 ][2 ][3 ][4 ]
    cpu :[a] [b] [c] [d]
    s7  :  [a        ][b        ][c        ][d        ]
"""


def pair_of(baseline: Trace, candidate: Trace) -> Pair:
    return Pair(make_side("baseline", baseline), make_side("candidate", candidate))


def drawn_pair(baseline: str, candidate: str, names: Mapping[str, str] | None = None) -> Pair:
    """A pair of two pictures, one character ten microseconds."""
    return pair_of(draw(baseline, us=10, names=names), draw(candidate, us=10, names=names))


def pair_of_files(baseline: Path, candidate: Path) -> Pair:
    return pair_of(read_trace(str(baseline)), read_trace(str(candidate)))
