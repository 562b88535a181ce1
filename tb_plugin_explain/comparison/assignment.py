"""Which events each generated kernel stands for: the alignment, then what stood out of order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tb_plugin_explain.comparison.alignment import align
from tb_plugin_explain.comparison.evidence_of_names import Evidence
from tb_plugin_explain.comparison.positions import Floats
from tb_plugin_explain.comparison.unit import Generated, Unit
from tb_plugin_explain.trace.model import Bools, Int64s

# How far an event may stand from where its kernel would, as a share of the step, and at least.
_FARTHEST_SHARE = 0.05
_FARTHEST = 100.0
# What it counts, in events of distance, that a kernel has found none yet for this operator.
_MISSING = 10.0
_TEMPLATES = ("tem",)
# One generated kernel seldom holds an operator more often; a list of tensors (foreach) can.
_MOST_OF_ONE = 16
_OF_LISTS = "for"


@dataclass
class Assignment:
    """By kernel the indices of its events; by event its kernel, -1 where it has none."""

    need: Sequence[Sequence[Bools]]
    places: Int64s
    owner: Int64s
    centre: Floats
    farthest: float


def assign(
    kernels: Sequence[Unit], events: Sequence[Unit], expected: Floats, step_events: int
) -> list[list[Unit]]:
    """The events of each kernel, in order.

    kernels: generated ones, in order. expected: where each would stand among the events’ positions.
    step_events: how many events the step of the events has.
    """
    evidence = Evidence(events)
    rows = [evidence.rows(_generated(k)) for k in kernels]
    light = [_without_heavy(k, r, evidence.heavy) for k, r in zip(kernels, rows, strict=True)]
    places = np.array([e.position for e in events], np.int64)
    owner = np.full(len(events), -1, np.int64)
    for kernel, found in enumerate(align(light, expected, places)):
        owner[found] = kernel
    farthest = max(_FARTHEST, _FARTHEST_SHARE * step_events)
    state = Assignment(light, places, owner, _centres(owner, places, expected), farthest)
    _give_left_over(state)
    _move_surplus(state)
    state.need = rows
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


def _without_heavy(kernel: Unit, rows: Sequence[Bools], heavy: Bools) -> list[Bools]:
    """Heavy work goes into templates; into other kernels only when nothing else is left for it."""
    if _generated(kernel).kind in _TEMPLATES:
        return list(rows)
    return [row & ~heavy for row in rows]


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
    for kernel, operators in enumerate(state.need):
        for row in operators:
            spoken = row[left]
            if not spoken.any():
                continue
            missing = not (row & (state.owner == kernel)).any()
            distance = np.abs(state.places[left] - state.centre[kernel])
            price = np.where(spoken & (distance <= state.farthest), distance - _MISSING * missing, np.inf)
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
    for kernel, operators in enumerate(state.need):
        for row in operators:
            if (row & (state.owner == kernel)).any():
                continue
            event = _nearest_surplus(state, kernel, row)
            if event is not None:
                state.owner[event] = kernel


def _nearest_surplus(state: Assignment, kernel: int, row: Bools) -> int | None:
    candidates = np.flatnonzero(row & (state.owner >= 0))
    distance = np.abs(state.places[candidates] - state.centre[kernel])
    for i in np.argsort(distance, kind="stable").tolist():
        if distance[i] > state.farthest:
            return None
        event = int(candidates[i])
        if _is_spare(state, event):
            return event
    return None


def _is_spare(state: Assignment, event: int) -> bool:
    """Whether the event’s kernel has another one for each operator that the event is the work of."""
    owned = state.owner == state.owner[event]
    operators = [row for row in state.need[int(state.owner[event])] if row[event]]
    return all(int((row & owned).sum()) > 1 for row in operators)
