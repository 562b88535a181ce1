"""First: the same kernel on both sides, and operators that merged while the kernel stayed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tb_plugin_explain.comparison.match import Match
from tb_plugin_explain.comparison.operator_names import HEAVY, MERGED, is_part
from tb_plugin_explain.comparison.pairs import Key, Open, pair_by_key, phase_of
from tb_plugin_explain.comparison.unit import Unit
from tb_plugin_explain.report_schema import Confidence


def match_same_kernels(state: Open) -> None:
    """Matches kernels of the same name, those called most alike first."""
    for key in (_all_alike, _same_chain, _same_operator):
        _take_same(state, key, key, "clear", "the same kernel, called by the same operator")
    for key in (_same_around, _same_anywhere):
        _take_same(state, key, key, "likely", "the same kernel, called inside the same operator")
    _match_merged(state)
    _match_without_operator(state)


def match_heavy_kernels(state: Open) -> None:
    """Large kernels of the same name are the same work whoever calls them."""
    _take_same(state, _heavy, _heavy, "likely", "the same kernel, though other operators call it")


def _all_alike(unit: Unit) -> Key:
    return (unit.identity, phase_of(unit), unit.ops, unit.shape) if unit.shape else None


def _same_chain(unit: Unit) -> Key:
    return (unit.identity, phase_of(unit), unit.ops)


def _same_operator(unit: Unit) -> Key:
    return (unit.identity, phase_of(unit), unit.ops[0]) if unit.ops else None


def _same_around(unit: Unit) -> Key:
    return (unit.identity, phase_of(unit), unit.ops[-1]) if unit.ops else None


def _same_anywhere(unit: Unit) -> Key:
    if unit.generated:
        return unit.identity
    return (unit.identity, unit.ops[0]) if unit.ops else None


def _named(unit: Unit) -> Key:
    return (unit.identity, phase_of(unit))


def _without_operator(unit: Unit) -> Key:
    return None if unit.ops else _named(unit)


def _with_operator(unit: Unit) -> Key:
    return _named(unit) if unit.ops else None


def _heavy(unit: Unit) -> Key:
    return unit.identity if any(op in HEAVY for op in unit.ops[:1]) and not unit.is_copy else None


def _take_same(
    state: Open,
    plain_key: Callable[[Unit], Key],
    fused_key: Callable[[Unit], Key],
    confidence: Confidence,
    why: str,
) -> None:
    for plain, fused in pair_by_key(state, plain_key, fused_key):
        ops = state.plain[plain].named_ops or state.fused[fused].named_ops
        state.take(Match("unchanged", (plain,), (fused,), ops[:1], confidence, why))


def _match_without_operator(state: Open) -> None:
    """The same kernel where one side does not tell who called it, as inside of graph launches."""
    why = "the same kernel; on one side no operator is recorded for it"
    _take_same(state, _with_operator, _without_operator, "likely", why)
    _take_same(state, _without_operator, _with_operator, "likely", why)


def _match_merged(state: Open) -> None:
    """The same kernel, called by an operator that does the work of several of the other side."""
    for whole in MERGED:
        for parts_are_plain in (True, False):

            def of_whole(unit: Unit, whole: str = whole) -> Key:
                return _named(unit) if unit.ops[:1] == (whole,) else None

            def of_part(unit: Unit, whole: str = whole) -> Key:
                return _named(unit) if unit.ops and is_part(unit.ops[0], whole) else None

            keys = (of_part, of_whole) if parts_are_plain else (of_whole, of_part)
            present = _present(state.plain if parts_are_plain else state.fused)
            parts = tuple(op for op in MERGED[whole] if op in present)
            for plain, fused in pair_by_key(state, *keys):
                why = f"the same kernel; {whole} does in one call what several operators do"
                state.take(Match("dispatch_fused", (plain,), (fused,), (*parts, whole), "clear", why))


def _present(units: Sequence[Unit]) -> set[str]:
    """The operators that launched any of the units themselves."""
    return {unit.ops[0] for unit in units if unit.ops}
