"""What is left to match, and one pass over it: units of equal keys go together in their order.

Inside the matching the sides are the *fused* one, with more generated code, and the *plain* one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from msgspec import Struct, field

from tb_plugin_explain.comparison.in_order import pair_in_order
from tb_plugin_explain.comparison.match import Match
from tb_plugin_explain.comparison.positions import PositionMap
from tb_plugin_explain.comparison.unit import Unit

Key = Hashable | None
PhaseGroup = str


def phase_of(unit: Unit) -> PhaseGroup:
    """The phase as far as both sides tell it alike: what is not known to be forward may be."""
    return "forward" if unit.phase == "other" else unit.phase


class Open(Struct):
    """The units of both sides, the positions still without a match, and the matches so far."""

    plain: Sequence[Unit]
    fused: Sequence[Unit]
    plain_left: dict[int, None]
    fused_left: dict[int, None]
    places: PositionMap
    matches: list[Match] = field(default_factory=list)

    @property
    def plain_units(self) -> list[Unit]:
        return [self.plain[i] for i in self.plain_left]

    @property
    def fused_units(self) -> list[Unit]:
        return [self.fused[i] for i in self.fused_left]

    def take(self, match: Match) -> None:
        """Closes the positions of a match."""
        for i in match.baseline:
            del self.plain_left[i]
        for i in match.candidate:
            del self.fused_left[i]
        self.matches.append(match)

    def learn_places(self) -> None:
        """Takes the matches so far as the fixed points of the order."""
        pairs = ((m.baseline[0], m.candidate[0]) for m in self.matches if m.baseline and m.candidate)
        self.places = PositionMap(pairs, len(self.plain), len(self.fused))


def open_all(plain: Sequence[Unit], fused: Sequence[Unit]) -> Open:
    """Nothing matched; of the order is known what kernels that both sides ran as often tell."""
    found = Open(
        plain,
        fused,
        dict.fromkeys(range(len(plain))),
        dict.fromkeys(range(len(fused))),
        PositionMap((), len(plain), len(fused)),
    )
    ours, theirs = _by_key(plain, _same), _by_key(fused, _same)
    equal = [k for k in ours if len(ours[k]) == len(theirs.get(k, ()))]
    pairs = [p for k in equal for p in zip(ours[k], theirs[k], strict=True)]
    found.places = PositionMap(pairs, len(plain), len(fused))
    return found


def _same(unit: Unit) -> Key:
    return (unit.identity, phase_of(unit), unit.ops)


def _by_key(units: Iterable[Unit], key: Callable[[Unit], Key]) -> dict[Key, list[int]]:
    groups: dict[Key, list[int]] = {}
    for unit in units:
        own = key(unit)
        if own is not None:
            groups.setdefault(own, []).append(unit.position)
    return groups


def pair_by_key(
    state: Open, plain_key: Callable[[Unit], Key], fused_key: Callable[[Unit], Key] | None = None
) -> list[tuple[int, int]]:
    """Positions that go together: units of equal keys, in order; a key None takes no part."""
    ours = _by_key(state.plain_units, plain_key)
    theirs = _by_key(state.fused_units, fused_key or plain_key)
    pairs = []
    for key, mine in ours.items():
        other = theirs.get(key)
        if other:
            found = pair_in_order(state.places.to_fused(mine), other)
            pairs += [(mine[a], other[b]) for a, b in found]
    return pairs
