"""Second: other kernels for the same operator. What one call launched stays together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tb_plugin_explain.comparison.heavy import MATMULS, work_of
from tb_plugin_explain.comparison.in_order import pair_in_order
from tb_plugin_explain.comparison.match import Match
from tb_plugin_explain.comparison.operator_names import HEAVY
from tb_plugin_explain.comparison.pairs import Key, Open, pair_by_key, phase_of
from tb_plugin_explain.comparison.unit import Unit
from tb_plugin_explain.report_schema import Confidence

Call = list[Unit]


def match_same_operators(state: Open) -> None:
    """Matches calls of one operator, innermost operators first."""
    plain, fused = _by_operator(state.plain_units), _by_operator(state.fused_units)
    for op in _shared(state):
        for level in (3, 2, 1, 0):
            ours = [unit for unit in plain[op] if unit.position in state.plain_left]
            theirs = [unit for unit in fused[op] if unit.position in state.fused_left]
            _match_calls(state, op, level, ours, theirs)


def match_heavy_work(state: Open, sorts: Collection[str]) -> None:
    """Matches what is left of these sorts of heavy work, each with its like."""

    def in_any_phase(unit: Unit) -> Key:
        work = _work(unit)
        return work if work in sorts else None

    def in_phase(unit: Unit) -> Key:
        return (_work(unit), phase_of(unit)) if in_any_phase(unit) else None

    def by_operator(unit: Unit) -> Key:
        return (HEAVY.get(unit.ops[0]), phase_of(unit)) if unit.ops and in_any_phase(unit) else None

    for key in (by_operator, in_phase, in_any_phase):
        for plain, fused in pair_by_key(state, key):
            one, other = state.plain[plain], state.fused[fused]
            ops = tuple(dict.fromkeys([*one.ops[:1], *other.ops[:1]]))
            why = f"work of one sort, in this order: {_work(one)}"
            state.take(Match("replaced", (plain,), (fused,), ops, "likely", why))


def _work(unit: Unit) -> str | None:
    """The sort of heavy work; a batch may be one matrix, so that batched multiplications are the same."""
    work = None if unit.generated else work_of(unit)
    return MATMULS[0] if work in MATMULS else work


def _shared(state: Open) -> list[str]:
    """Operators around what is left of both sides; first those that are innermost on both."""
    ours, theirs = _depths(state.plain_units), _depths(state.fused_units)
    shared = ours.keys() & theirs.keys()
    return sorted(shared, key=lambda op: (max(ours[op], theirs[op]), ours[op] + theirs[op], op))


def _by_operator(units: Sequence[Unit]) -> dict[str, list[Unit]]:
    """The units that each operator launched, itself or inside; generated kernels are no one's."""
    found: dict[str, list[Unit]] = {}
    for unit in units:
        for op in unit.ops if unit.generated is None else ():
            found.setdefault(op, []).append(unit)
    return found


def _depths(units: Sequence[Unit]) -> dict[str, int]:
    """How far inside each operator stands at its innermost; of generated kernels none."""
    depths: dict[str, int] = {}
    for unit in units:
        if unit.generated is None:
            for depth, op in enumerate(unit.ops):
                depths[op] = min(depth, depths.get(op, depth))
    return depths


def _match_calls(state: Open, op: str, level: int, plain: Sequence[Unit], fused: Sequence[Unit]) -> None:
    """Pairs the calls of one operator whose keys of this level are equal, in order."""
    confidence: Confidence = "clear" if level >= 2 else "likely"
    calls = _calls(fused, op, level)
    for key, mine in _calls(plain, op, level).items():
        other = calls.get(key)
        if not other:
            continue
        places = state.places.to_fused([call[0].position for call in mine])
        for a, b in pair_in_order(places, [call[0].position for call in other]):
            if _comparable(mine[a], other[b]):
                _take(state, op, mine[a], other[b], confidence)


def _calls(units: Sequence[Unit], op: str, level: int) -> dict[Key, list[Call]]:
    """The calls of an operator in order, by what has to be equal."""
    calls: dict[int, Call] = {}
    for unit in units:
        calls.setdefault(unit.calls[unit.ops.index(op)], []).append(unit)
    found: dict[Key, list[Call]] = {}
    for call in calls.values():
        key = _key(call, op, level)
        if key is not None:
            found.setdefault(key, []).append(call)
    return found


def _key(call: Call, op: str, level: int) -> Key:
    """3: phase, operators around and shape; 2: phase and operators around; 1: phase; 0: nothing."""
    unit = call[0]
    around = unit.ops[unit.ops.index(op) :]
    if level == 3:
        shaped = unit.shape is not None and unit.ops[0] == op
        return (phase_of(unit), around, unit.shape) if shaped else None
    return ((), (phase_of(unit),), (phase_of(unit), around))[level]


def _comparable(one: Call, other: Call) -> bool:
    """Copies beside a large kernel, left over on one side, are no other kernel for its work."""
    heavy = any(op in HEAVY for op in one[0].ops[:1])
    return not heavy or all(u.is_copy for u in one) == all(u.is_copy for u in other)


def _take(state: Open, op: str, one: Call, other: Call, confidence: Confidence) -> None:
    innermost = all(unit.ops[0] == op for unit in _both(one, other))
    state.take(
        Match(
            "replaced",
            tuple(unit.position for unit in one),
            tuple(unit.position for unit in other),
            (op,),
            confidence if innermost else "likely",
            "other kernels for the same operator" if innermost else "other kernels inside the same operator",
        )
    )


def _both(one: Call, other: Call) -> Iterator[Unit]:
    yield from one
    yield from other
