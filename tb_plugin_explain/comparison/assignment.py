"""Which events each generated kernel stands for: the alignment, then what stood out of order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain.comparison.alignment import align
from tb_plugin_explain.comparison.evidence_of_names import Evidence
from tb_plugin_explain.comparison.positions import Floats
from tb_plugin_explain.comparison.unit import Generated, Unit
from tb_plugin_explain.trace.grouping import Groups
from tb_plugin_explain.trace.model import Bools, Int64s

# These rest on no source. Measured on 40 pairs of tests/comparison/fusion_simulator.py, of which 96.3 % of
# the time lands in the right group: a quarter to four times _FARTHEST, a fifth to four times its share,
# _MISSING from 0 to 40, and half or twice _MOST_OF_ONE change that by 0.05 points at most; a quarter of
# _MOST_OF_ONE loses 0.2.
# How far an event may stand from where its kernel would, as a share of the step, and at least.
_FARTHEST_SHARE = 0.05
_FARTHEST = 100.0
# What it counts, in events of distance, that a kernel has found none yet for this operator.
_MISSING = 10.0
_TEMPLATES = ("tem",)
# One generated kernel seldom holds an operator more often; a list of tensors (foreach) can.
_MOST_OF_ONE = 16
_OF_LISTS = "for"


class Assignment(Struct):
    """Which kernel each event belongs to, while it is sought. K kernels, E events.

    need: of each kernel, for each operator of its name that any event is the work of, whether each event is.
    places: [E] int64, position of each event among all of its step, rising.
    owner: [E] int64, the kernel of each event, -1 where it has none.
    centre: [K], where the events of each kernel stand in the middle, in positions.
    farthest: how far from there an event may stand, in positions.
    """

    need: Sequence[Sequence[Bools]]
    places: Int64s
    owner: Int64s
    centre: Floats
    farthest: float

    def owned(self) -> list[Int64s]:
        """The events of each kernel, rising."""
        groups = Groups(self.owner, len(self.need))
        return [groups[kernel] for kernel in range(len(self.need))]


def assign(
    kernels: Sequence[Unit], events: Sequence[Unit], expected: Floats, step_events: int
) -> list[list[Unit]]:
    """The events of each kernel, in order.

    kernels: generated ones, in order. expected: where each would stand among the events’ positions.
    step_events: how many events the step of the events has.
    """
    evidence = Evidence(events)
    light = [_light_rows(kernel, evidence) for kernel in kernels]
    places = np.array([e.position for e in events], np.int64)
    owner = np.full(len(events), -1, np.int64)
    for kernel, found in enumerate(align(light, expected, places)):
        owner[found] = kernel
    farthest = max(_FARTHEST, _FARTHEST_SHARE * step_events)
    state = Assignment(light, places, owner, _centres(owner, places, expected), farthest)
    _give_left_over(state)
    _move_surplus(state)
    state.need = [evidence.rows(_generated(kernel)) for kernel in kernels]
    _give_left_over(state)
    for kernel, unit in enumerate(kernels):
        if _generated(unit).kind != _OF_LISTS:
            _drop_too_many(state, kernel)
    given: list[list[Unit]] = [[] for _ in kernels]
    for event, kernel in enumerate(state.owner.tolist()):
        if kernel >= 0:
            given[kernel].append(events[event])
    return given


def _generated(kernel: Unit) -> Generated:
    assert kernel.generated is not None
    return kernel.generated


def _light_rows(kernel: Unit, evidence: Evidence) -> list[Bools]:
    """Heavy work goes into templates; into other kernels only when nothing else is left for it."""
    generated = _generated(kernel)
    return evidence.rows(generated) if generated.kind in _TEMPLATES else evidence.light_rows(generated)


def _centres(owner: Int64s, places: Int64s, expected: Floats) -> Floats:
    """Where the events of each kernel stand in the middle; where it would, if it has none."""
    owned = owner >= 0
    count = np.bincount(owner[owned], minlength=len(expected))
    total = np.bincount(owner[owned], places[owned], minlength=len(expected))
    return np.where(count > 0, total / np.maximum(count, 1), expected)


def _give_left_over(state: Assignment) -> None:
    """Gives each event without a kernel to the nearest that speaks of it, first to those that miss it."""
    left = np.flatnonzero(state.owner < 0)
    if not len(left):
        return
    best, cost = np.full(len(left), -1, np.int64), np.full(len(left), state.farthest)
    for kernel, (operators, mine) in enumerate(zip(state.need, state.owned(), strict=True)):
        distance = np.abs(state.places[left] - state.centre[kernel])
        near = distance <= state.farthest
        for row in operators:
            missing = not row[mine].any()
            price = np.where(row[left] & near, distance - _MISSING * missing, np.inf)
            nearer = price < cost
            best[nearer], cost[nearer] = kernel, price[nearer]
    state.owner[left] = best


def _drop_too_many(state: Assignment, kernel: int) -> None:
    """Of an operator that is there too often for one kernel, only the nearest events stay."""
    found = np.flatnonzero(state.owner == kernel)
    if len(found) <= _MOST_OF_ONE:
        return
    kept = np.zeros(len(state.owner), np.bool_)
    middle = np.median(state.places[found])
    for row in state.need[kernel]:
        mine = found[row[found]]
        distance = np.abs(state.places[mine] - middle)
        kept[mine[np.argsort(distance, kind="stable")[:_MOST_OF_ONE]]] = True
    state.owner[found[~kept[found]]] = -1


def _move_surplus(state: Assignment) -> None:
    """Gives kernels that found no event for an operator the nearest one of which another has several."""
    owned = state.owned()
    spare = np.zeros(len(state.owner), np.bool_)
    for kernel, mine in enumerate(owned):
        spare[mine] = _spare(state.need[kernel], mine)
    for kernel, operators in enumerate(state.need):
        for row in operators:
            event = None if row[owned[kernel]].any() else _nearest(state, kernel, row, spare)
            if event is None:
                continue
            giver = int(state.owner[event])
            state.owner[event] = kernel
            owned[giver] = owned[giver][owned[giver] != event]
            owned[kernel] = np.append(owned[kernel], event)
            for changed in (giver, kernel):
                spare[owned[changed]] = _spare(state.need[changed], owned[changed])


def _spare(operators: Sequence[Bools], mine: Int64s) -> Bools:
    """Of the events of one kernel, whether it has another one for each operator that they are the work of."""
    spare = np.ones(len(mine), np.bool_)
    for row in operators:
        spoken = row[mine]
        if spoken.sum() == 1:
            spare &= ~spoken
    return spare


def _nearest(state: Assignment, kernel: int, row: Bools, spare: Bools) -> int | None:
    """The spare event of an operator nearest to where the kernel stands, None if all are too far."""
    centre = state.centre[kernel]
    low = int(np.searchsorted(state.places, centre - state.farthest))
    high = int(np.searchsorted(state.places, centre + state.farthest, "right"))
    near = low + np.flatnonzero(row[low:high] & spare[low:high])
    return int(near[np.argmin(np.abs(state.places[near] - centre))]) if len(near) else None
