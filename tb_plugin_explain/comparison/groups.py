"""The matches of two typical steps, gathered into the groups that a comparison shows.

Invariant: the groups’ times of each side sum, in ns, to those of its units; ``GroupTotals`` too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal, get_args

from msgspec import Struct, field

from tb_plugin_explain.comparison import group_titles
from tb_plugin_explain.comparison.match import Match
from tb_plugin_explain.comparison.matching import match_units
from tb_plugin_explain.comparison.pair import Pair
from tb_plugin_explain.comparison.unit import Unit
from tb_plugin_explain.comparison.units import find_units, seen_operators
from tb_plugin_explain.comparison_schema import (
    FusionGroup,
    GroupKernel,
    GroupKind,
    GroupSide,
    GroupSummary,
    GroupTotals,
)
from tb_plugin_explain.report_schema import Confidence
from tb_plugin_explain.wording import to_us

# So many groups, and kernels of a side of one, are listed; the others are folded into one.
MOST_GROUPS = 200
MOST_KERNELS = 20
# A group is clear if no more of its time than this is in matches that are not.
UNSURE_SHARE = 0.1

KINDS: tuple[GroupKind, ...] = get_args(GroupKind)
WITHOUT_COUNTERPART: tuple[GroupKind, ...] = ("removed", "added", "unattributed")


class _Piece(Struct, eq=False, dict=True):
    """The matches of one group, or those of several groups folded into one."""

    kind: GroupKind
    matches: list[Match] = field(default_factory=list)
    match_times_ns: list[int] = field(default_factory=list)
    baseline: list[Unit] = field(default_factory=list)
    candidate: list[Unit] = field(default_factory=list)
    folded: int = 0

    def add(self, match: Match, baseline: Sequence[Unit], candidate: Sequence[Unit]) -> None:
        ours, theirs = [baseline[i] for i in match.baseline], [candidate[i] for i in match.candidate]
        self.matches.append(match)
        self.match_times_ns.append(_time_ns(ours) + _time_ns(theirs))
        self.baseline += ours
        self.candidate += theirs

    @cached_property
    def times_ns(self) -> tuple[int, int]:
        return _time_ns(self.baseline), _time_ns(self.candidate)

    @cached_property
    def title(self) -> str:
        if self.folded:
            return group_titles.folded_title(self.kind, self.folded)
        ops = tuple(dict.fromkeys(op for m in self.matches for op in m.ops))
        if self.kind == "dispatch_fused":
            ops = tuple(self.matches[0].ops)
        return group_titles.title(self.kind, ops, self.baseline, self.candidate)

    @property
    def order(self) -> tuple[int, int, str]:
        """The larger side first."""
        return -max(self.times_ns), KINDS.index(self.kind), self.title


def find_groups(pair: Pair) -> tuple[list[FusionGroup], GroupSummary]:
    """The groups of the GPU events of both typical steps."""
    baseline = find_units(pair.baseline, seen_operators(pair.candidate))
    candidate = find_units(pair.candidate, seen_operators(pair.baseline))
    return build_groups(baseline, candidate, match_units(baseline, candidate), "gpu", None)


def build_groups(
    baseline: Sequence[Unit],
    candidate: Sequence[Unit],
    matches: Sequence[Match],
    of: Literal["gpu", "cpu"],
    note: str | None,
) -> tuple[list[FusionGroup], GroupSummary]:
    """Groups by the larger side’s time, and what they sum to."""
    pieces: dict[tuple[object, ...], _Piece] = {}
    for match in matches:
        piece = pieces.setdefault(_key(match, baseline, candidate), _Piece(match.kind))
        piece.add(match, baseline, candidate)
    ordered = sorted(pieces.values(), key=lambda piece: piece.order)
    summary = _summary(ordered, of, note)
    return [_group(piece) for piece in _fold(ordered)], summary


def _key(match: Match, baseline: Sequence[Unit], candidate: Sequence[Unit]) -> tuple[object, ...]:
    """What the matches of one group have in common."""
    units = [*(baseline[i] for i in match.baseline), *(candidate[i] for i in match.candidate)]
    if match.kind in ("unchanged", "unattributed"):
        return match.kind, units[0].identity
    if match.kind == "fused":
        # One generated kernel on its side; on the other at least one event is of no generated kernel.
        fused = all(candidate[i].generated for i in match.candidate)
        return match.kind, fused, (units[-1] if fused else units[0]).identity
    if match.kind == "dispatch_fused":
        return match.kind, match.ops, units[0].identity, units[0].ops[:1] == match.ops[-1:]
    if match.kind == "replaced":
        return match.kind, match.ops or frozenset(unit.name for unit in units)
    return match.kind, units[0].is_copy and units[0].name, _fate_of(match, units[0])


def _fate_of(match: Match, unit: Unit) -> str:
    if unit.is_machinery:
        return group_titles.MACHINERY
    return unit.identity if unit.generated or not match.ops else match.ops[0]


def _fold(ordered: Sequence[_Piece]) -> list[_Piece]:
    """The largest groups, and one for the others of each kind."""
    if len(ordered) <= MOST_GROUPS:
        return list(ordered)
    kept = list(ordered[: MOST_GROUPS - len(KINDS)])
    folded: dict[GroupKind, _Piece] = {}
    for piece in ordered[len(kept) :]:
        into = folded.setdefault(piece.kind, _Piece(piece.kind))
        into.matches += piece.matches
        into.match_times_ns += piece.match_times_ns
        into.baseline += piece.baseline
        into.candidate += piece.candidate
        into.folded += 1
    return sorted([*kept, *folded.values()], key=lambda piece: piece.order)


def _group(piece: _Piece) -> FusionGroup:
    confidence, why = _grounds(piece)
    return FusionGroup(
        piece.kind, piece.title, _side(piece.baseline), _side(piece.candidate), confidence, why
    )


def _grounds(piece: _Piece) -> tuple[Confidence, str]:
    """Clear if nearly all of the time is; and the reason that holds for most of that time."""
    times: dict[tuple[Confidence, str], int] = {}
    for match, time_ns in zip(piece.matches, piece.match_times_ns, strict=True):
        grounds = (match.confidence, match.why)
        times[grounds] = times.get(grounds, 0) + time_ns
    unsure = {grounds: time for grounds, time in times.items() if grounds[0] != "clear"}
    if len(unsure) == len(times) or sum(unsure.values()) > UNSURE_SHARE * sum(times.values()):
        times = unsure
    else:
        times = {grounds: time for grounds, time in times.items() if grounds[0] == "clear"}
    return max(times, key=lambda grounds: times[grounds])


def _time_ns(units: Sequence[Unit]) -> int:
    return sum(unit.time_ns for unit in units)


def _side(units: Sequence[Unit]) -> GroupSide:
    sizes = [unit.bytes for unit in units if unit.bytes is not None]
    return GroupSide(len(units), to_us(_time_ns(units)), sum(sizes) if sizes else None, _kernels(units))


def _kernels(units: Sequence[Unit]) -> list[GroupKernel]:
    by_name: dict[str, list[Unit]] = {}
    for unit in units:
        by_name.setdefault(unit.name, []).append(unit)
    ordered = sorted(by_name.items(), key=lambda item: (-_time_ns(item[1]), item[0]))
    shown = ordered if len(ordered) <= MOST_KERNELS else ordered[: MOST_KERNELS - 1]
    listed = [_kernel(name, members, _ops(members)) for name, members in shown]
    rest = [unit for _, members in ordered[len(shown) :] for unit in members]
    if rest:
        listed.append(_kernel(group_titles.other_kernels(len(ordered) - len(shown)), rest, ()))
    return listed


def _ops(units: Sequence[Unit]) -> tuple[str, ...]:
    """The operators that launched the units themselves, or that their generated names hold."""
    found: dict[str, None] = {}
    for unit in units:
        own = (unit.operator,) if unit.operator else unit.ops[:1]
        found.update(dict.fromkeys(unit.generated.ops if unit.generated else own))
    return tuple(found)


def _kernel(name: str, units: Sequence[Unit], ops: Sequence[str]) -> GroupKernel:
    return GroupKernel(name, len(units), to_us(_time_ns(units)), ops)


def _summary(pieces: Sequence[_Piece], of: Literal["gpu", "cpu"], note: str | None) -> GroupSummary:
    by_kind = {kind: [p for p in pieces if p.kind == kind] for kind in KINDS}
    totals = [_totals(kind, found) for kind, found in by_kind.items() if found]
    baseline, candidate = _sums(pieces)
    unattributed = sum(_sums(by_kind["unattributed"]))
    both = baseline + candidate
    share = unattributed / both if both else None
    machinery = _machinery_us([p for kind in WITHOUT_COUNTERPART for p in by_kind[kind]])
    return GroupSummary(of, to_us(baseline), to_us(candidate), totals, share, note, *machinery)


def _sums(pieces: Sequence[_Piece]) -> tuple[int, int]:
    """ns of both sides."""
    return sum(p.times_ns[0] for p in pieces), sum(p.times_ns[1] for p in pieces)


def _machinery_us(pieces: Sequence[_Piece]) -> tuple[float, float]:
    """What torch.compile’s machinery takes on both sides."""
    sides = ([u for p in pieces for u in p.baseline], [u for p in pieces for u in p.candidate])
    baseline, candidate = (_time_ns([u for u in units if u.is_machinery]) for units in sides)
    return to_us(baseline), to_us(candidate)


def _totals(kind: GroupKind, pieces: Sequence[_Piece]) -> GroupTotals:
    baseline, candidate = _sums(pieces)
    return GroupTotals(
        kind,
        sum(len(p.baseline) for p in pieces),
        sum(len(p.candidate) for p in pieces),
        to_us(baseline),
        to_us(candidate),
    )
