"""Attention in one kernel on one side, step by step on the other: matmul, softmax, matmul."""

from __future__ import annotations

from collections.abc import Sequence

from tb_plugin_explain.comparison.heavy import MATMULS, work_of
from tb_plugin_explain.comparison.in_order import pair_in_order
from tb_plugin_explain.comparison.match import Match
from tb_plugin_explain.comparison.pairs import Open, phase_of
from tb_plugin_explain.comparison.same_operator import match_heavy_work
from tb_plugin_explain.comparison.unit import Unit

# Which softmax stands for which attention, and how many matrix multiplications before and after it.
_STEPS = (("attention", "_softmax", 1), ("gradient of attention", "_softmax_backward_data", 2))
# How far from the softmax they are looked for, in events.
_FARTHEST = 16


def match_attention(state: Open) -> None:
    """Matches what is left of attention kernels with their like, then with what is around softmax."""
    match_heavy_work(state, frozenset(work for work, _, _ in _STEPS))
    for work, softmax, products in _STEPS:
        for whole_is_fused in (True, False):
            _match_work(state, work, softmax, products, whole_is_fused)


def _match_work(state: Open, work: str, softmax: str, products: int, whole_is_fused: bool) -> None:
    plain, fused = state.plain_units, state.fused_units
    whole_side, apart_side = (fused, plain) if whole_is_fused else (plain, fused)
    wholes = [u for u in whole_side if work_of(u) == work]
    middles = [u for u in apart_side if u.ops[:1] == (softmax,)]
    left = {u.position: u for u in apart_side}
    for whole, middle in _pairs(state, wholes, middles, whole_is_fused):
        steps = _around(left, middle.position, products)
        if steps:
            for unit in steps:
                del left[unit.position]
            _take(state, whole, steps, whole_is_fused)


def _pairs(
    state: Open, wholes: Sequence[Unit], middles: Sequence[Unit], whole_is_fused: bool
) -> list[tuple[Unit, Unit]]:
    """Each attention with a softmax of its phase, in order."""
    to_apart = state.places.to_plain if whole_is_fused else state.places.to_fused
    pairs = []
    for phase in dict.fromkeys(map(phase_of, wholes)):
        ours = [u for u in wholes if phase_of(u) == phase]
        theirs = [u for u in middles if phase_of(u) == phase]
        found = pair_in_order(to_apart([u.position for u in ours]), [u.position for u in theirs])
        pairs += [(ours[a], theirs[b]) for a, b in found]
    return pairs


def _around(left: dict[int, Unit], middle: int, products: int) -> list[Unit]:
    """What is left of the events from the matrix multiplications before the softmax to those after it."""
    if middle not in left:
        return []
    before = _products(left, range(middle - 1, middle - _FARTHEST, -1), products)
    after = _products(left, range(middle + 1, middle + _FARTHEST), products)
    if not before or not after:
        return []
    return [left[i] for i in range(before[-1], after[-1] + 1) if i in left]


def _products(left: dict[int, Unit], positions: Sequence[int], most: int) -> list[int]:
    """The first matrix multiplications in this direction, up to the next softmax."""
    found: list[int] = []
    for i in positions:
        unit = left.get(i)
        if len(found) == most or (unit and unit.ops and unit.ops[0].startswith("_softmax")):
            break
        if unit and work_of(unit) in MATMULS:
            found.append(i)
    return found


def _take(state: Open, whole: Unit, steps: Sequence[Unit], whole_is_fused: bool) -> None:
    one, other = tuple(u.position for u in steps), (whole.position,)
    state.take(
        Match(
            "replaced",
            one if whole_is_fused else other,
            other if whole_is_fused else one,
            whole.ops[:1] or ("attention",),
            "likely",
            "attention in one kernel on one side, as matrix multiplications and softmax on the other",
        )
    )
