"""Whether two runs worked on inputs of other sizes, as far as recorded shapes tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain.comparison.pair import Side

_SIZE = re.compile(r"\d+")
# Fewer calls of one name on both sides show nothing.
FEWEST_CALLS = 3
# Some calls always differ (a last batch, a mask); a change of inputs moves most of them.
MOST = 0.5


class ShapeChange(Struct, frozen=True):
    """factor: by which every size that changed did so, None where they changed in different ways.

    judged: how many calls were compared; changed: how many of them have other sizes.
    """

    factor: float | None
    judged: int
    changed: int


def _shapes(side: Side) -> dict[str, list[str]]:
    """By operator, the input shapes of its calls in the typical step, in order."""
    trace, step = side.run.trace, side.shown
    if step is None:
        return {}
    told, window = trace.details.operators, side.run.recording.steps[step]
    start = trace.events.start_ns[told.row]
    chosen = (told.shape >= 0) & (start >= window.start_ns) & (start < window.end_ns)
    if window.process is not None:
        chosen &= trace.events.process[told.row] == window.process
    found: dict[str, list[str]] = {}
    for i in np.flatnonzero(chosen)[np.argsort(start[chosen], kind="stable")].tolist():
        name = trace.name_of(int(told.row[i]))
        found.setdefault(name, []).append(trace.details.shapes[int(told.shape[i])])
    return found


def _ratios(old: str, new: str) -> Sequence[float] | None:
    """How much each size changed that did; None where the two shapes cannot be laid side by side."""
    before, after = _SIZE.findall(old), _SIZE.findall(new)
    # Not replaced by nothing: `[5]` has a size where `[]` has none.
    if _SIZE.sub("n", old) != _SIZE.sub("n", new):
        return None
    return [int(b) / int(a) for a, b in zip(before, after, strict=True) if a != b and int(a)]


def find_shape_change(baseline: Side, candidate: Side) -> ShapeChange | None:
    """Of the calls that both sides make equally often; None where too few carry shapes."""
    old, new = _shapes(baseline), _shapes(candidate)
    shared = [name for name in old if len(old[name]) == len(new.get(name, ()))]
    both = [pair for name in shared for pair in zip(old[name], new[name], strict=True)]
    ratios = [found for pair in both if (found := _ratios(*pair)) is not None]
    if len(ratios) < FEWEST_CALLS:
        return None
    factors = Counter(round(ratio, 9) for found in ratios for ratio in found)
    changed = sum(bool(found) for found in ratios)
    return ShapeChange(next(iter(factors)) if len(factors) == 1 else None, len(ratios), changed)


def is_other_input(change: ShapeChange | None) -> bool:
    return change is not None and change.changed > MOST * change.judged
