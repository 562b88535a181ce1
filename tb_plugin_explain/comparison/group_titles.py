"""What a fusion group says of itself. Names of kernels and operators are strangers’ plain text."""

from __future__ import annotations

from collections.abc import Sequence

from tb_plugin_explain.comparison.unit import Unit
from tb_plugin_explain.comparison_schema import GroupKind
from tb_plugin_explain.trace.model import Category
from tb_plugin_explain.wording import count, in_short, kernel, listing

MACHINERY = "torch.compile’s own machinery"
_MOST_OPS = 6
_SORTS = {Category.CPU_OP: "operators", Category.MEMCPY: "copies", Category.MEMSET: "memsets"}


def title(kind: GroupKind, ops: Sequence[str], baseline: Sequence[Unit], candidate: Sequence[Unit]) -> str:
    """One line for one group; ``ops`` and units are those of its matches."""
    if kind == "unchanged":
        return _unchanged(ops, baseline[0])
    if kind == "replaced":
        return _replaced(ops, baseline, candidate)
    if kind == "fused":
        return _fused(ops, baseline, candidate)
    if kind == "dispatch_fused":
        return _merged(ops, baseline)
    if kind == "unattributed":
        return f"{_name((baseline or candidate)[0])}: the trace tells no operator for it"
    return _alone(ops, (baseline or candidate)[0], "is gone" if kind == "removed" else "is new")


def folded_title(kind: GroupKind, groups: int) -> str:
    """Of all smaller groups of one kind."""
    word = kind.replace("dispatch_fused", "merged")
    return f"{count(groups, 'smaller group')} of {word} work"


def other_kernels(names: int) -> str:
    """Stands for the kernels of a group that are not listed."""
    return count(names, "other kernel")


def _name(unit: Unit) -> str:
    return in_short(unit.identity) if unit.generated else kernel(unit.name)


def _operators(ops: Sequence[str]) -> str:
    shown = [in_short(op) for op in ops]
    if len(shown) > _MOST_OPS:
        shown = [*shown[: _MOST_OPS - 1], f"{len(shown) - _MOST_OPS + 1} more"]
    return listing(shown)


def _unchanged(ops: Sequence[str], unit: Unit) -> str:
    if unit.generated or unit.kind == Category.CPU_OP or not ops:
        return f"{_name(unit)} stayed"
    return f"{_operators(ops)}: the same {'' if unit.is_copy else 'kernel, '}{_name(unit)}"


def _replaced(ops: Sequence[str], baseline: Sequence[Unit], candidate: Sequence[Unit]) -> str:
    what = _operators(ops) if ops else f"The work of {_name(baseline[0])}"
    units = [*baseline, *candidate]
    if all(unit.is_graph for unit in units):
        return "The code of a compiled graph: another graph does this work"
    if all(unit.generated for unit in units):
        return f"{what}: another generated kernel"
    return f"{what}: other {_sort(units)} do this work"


def _sort(units: Sequence[Unit]) -> str:
    """What the work of one group is; a kernel with the memsets that it needs is told as kernels."""
    kinds = {unit.kind for unit in units}
    return _SORTS.get(kinds.pop(), "kernels") if len(kinds) == 1 else "kernels"


def _fused(ops: Sequence[str], baseline: Sequence[Unit], candidate: Sequence[Unit]) -> str:
    joined, many = _operators(ops), len(ops) > 1
    if any(unit.is_graph for unit in candidate):
        return f"{joined} {'run' if many else 'runs'} inside the compiled graph"
    if any(unit.is_graph for unit in baseline):
        return f"{joined} ran inside the compiled graph"
    if all(unit.generated for unit in candidate):
        return f"{joined} {'run as one' if many else 'runs as a'} generated kernel"
    if many:
        return f"{joined} run apart; they were one generated kernel"
    return f"{joined} was a generated kernel and is one no longer"


def _merged(ops: Sequence[str], baseline: Sequence[Unit]) -> str:
    *parts, whole = ops
    one, other = _operators(parts), in_short(whole)
    if baseline[0].ops[:1] == (whole,):
        one, other = other, one
    return f"{one} became {other}; the GPU kernel stayed"


def _alone(ops: Sequence[str], unit: Unit, fate: str) -> str:
    if unit.is_machinery:
        return f"{MACHINERY} {fate}"
    if unit.is_graph:
        return f"The code of a compiled graph {fate}"
    if unit.generated:
        return f"The generated kernel {_name(unit)} {fate}"
    if unit.is_copy:
        return f"{_name(unit)}{f' of {in_short(ops[0])}' if ops else ''} {fate}"
    return f"{in_short(ops[0]) if ops else _name(unit)} {fate}"
