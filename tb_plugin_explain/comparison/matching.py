"""Which units of two typical steps are one piece of work: docs/definitions/comparison.md, "groups".

Invariant: each unit is in exactly one match. Exchanging the sides exchanges the sides of each match
and ``removed`` with ``added``, and nothing else: the work is done from the side with less generated
code to the one with more, whichever was given first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tb_plugin_explain.comparison.attention import match_attention
from tb_plugin_explain.comparison.fusion import match_generated
from tb_plugin_explain.comparison.heavy import SORTS
from tb_plugin_explain.comparison.match import Match
from tb_plugin_explain.comparison.pairs import Key, Open, open_all, pair_by_key, phase_of
from tb_plugin_explain.comparison.same_kernel import match_heavy_kernels, match_same_kernels
from tb_plugin_explain.comparison.same_operator import match_heavy_work, match_same_operators
from tb_plugin_explain.comparison.unit import Unit
from tb_plugin_explain.comparison_schema import GroupKind

_MIRRORED: dict[GroupKind, GroupKind] = {"removed": "added", "added": "removed"}


def match_units(baseline: Sequence[Unit], candidate: Sequence[Unit]) -> list[Match]:
    """The matches of two steps; all units of the one side and of the other are in one each."""
    if _weight(baseline) > _weight(candidate):
        return [_mirror(m) for m in _match(candidate, baseline)]
    return _match(baseline, candidate)


def _weight(units: Sequence[Unit]) -> tuple[int, int, int, list[tuple[Any, ...]]]:
    """Orders the sides: by time in generated kernels, by all time, by number of units, by what they are."""
    generated = sum(u.time_ns for u in units if u.generated)
    contents = [(u.name, u.kind, u.time_ns, u.ops, u.phase, u.shape or "", u.calls) for u in units]
    return generated, sum(u.time_ns for u in units), len(units), contents


def _mirror(match: Match) -> Match:
    kind = _MIRRORED.get(match.kind, match.kind)
    return Match(kind, match.candidate, match.baseline, match.ops, match.confidence, match.why)


def _match(plain: Sequence[Unit], fused: Sequence[Unit]) -> list[Match]:
    state = open_all(plain, fused)
    match_same_kernels(state)
    state.learn_places()
    match_same_operators(state)
    match_heavy_kernels(state)
    match_attention(state)
    match_heavy_work(state, SORTS)
    state.learn_places()
    match_generated(state)
    _match_operations(state)
    _close(state)
    return state.matches


def _match_operations(state: Open) -> None:
    """Where no operator is known, as inside of graph launches: the operation that the name tells."""
    for with_phase in (True, False):

        def key(unit: Unit, with_phase: bool = with_phase) -> Key:
            if unit.operation is None or unit.generated:
                return None
            return (unit.operation, phase_of(unit) if with_phase else None)

        def key_without_operator(unit: Unit) -> Key:
            return None if unit.ops else key(unit)

        for keys in ((key, key_without_operator), (key_without_operator, key)):
            for plain, fused in pair_by_key(state, *keys):
                ops = (state.plain[plain].ops or state.fused[fused].ops)[:1]
                why = "no operator is recorded; by their names the kernels do the same operation"
                state.take(Match("replaced", (plain,), (fused,), ops, "likely", why))


def _close(state: Open) -> None:
    """Whatever is left has no counterpart."""
    for unit in state.plain_units:
        state.take(_alone(unit, "removed", (unit.position,), ()))
    for unit in state.fused_units:
        state.take(_alone(unit, "added", (), (unit.position,)))


def _alone(unit: Unit, kind: GroupKind, plain: tuple[int, ...], fused: tuple[int, ...]) -> Match:
    if unit.ops or unit.generated or unit.is_copy:
        why = "nothing of the other side was found for it"
        return Match(kind, plain, fused, unit.named_ops[:1] or unit.ops[:1], "likely", why)
    why = "the trace tells no operator for it, and the other side runs nothing like it"
    return Match("unattributed", plain, fused, (), "likely", why)
