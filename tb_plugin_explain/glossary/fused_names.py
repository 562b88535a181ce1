"""Splits the names of fused kernels, ``add_native_layer_norm_view``, into operators.

Inductor joins the sorted names of the operators with underscores, which the names hold themselves
(torch/_inductor/codegen/triton.py). So a vocabulary is needed; of several readings the one that
leaves least unread is taken, then the one in alphabetical order, then the one with fewest names.
"""

from __future__ import annotations

from collections.abc import Iterable

_Reading = tuple[int, int, int, tuple[str, ...]]


class Vocabulary:
    """Names of operators, and how many words the longest has that begins with a certain word."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._longest: dict[str, int] = {}
        for name in self._names:
            words = name.split("_")
            self._longest[words[0]] = max(len(words), self._longest.get(words[0], 1))

    def split(self, joined: str) -> tuple[str, ...]:
        """The operators in a joined name. Words that belong to none stand as they are."""
        words = joined.split("_")
        # The best reading of the first n words, for each n.
        best: list[_Reading | None] = [None] * (len(words) + 1)
        best[0] = (0, 0, 0, ())
        for start, first in enumerate(words):
            reading = best[start]
            if reading is None:
                continue
            for end in range(start + 1, min(start + self._longest.get(first, 1), len(words)) + 1):
                piece = "_".join(words[start:end])
                known = piece in self._names
                if piece.strip("_") and (known or end == start + 1):
                    best[end] = _better(best[end], _extended(reading, piece, known))
        found = best[-1]
        return found[3] if found else tuple(w for w in words if w)

    def has_only_reading(self, joined: str) -> bool:
        """Whether there is one way to read the name as operators of the vocabulary, each once, in order."""
        words = joined.split("_")
        # For each end: how many readings end there, by their last operator.
        counts: list[dict[str, int]] = [{"": 1}, *({} for _ in words)]
        for start, first in enumerate(words):
            if not counts[start]:
                continue
            for end in range(start + 1, min(start + self._longest.get(first, 1), len(words)) + 1):
                piece = "_".join(words[start:end])
                ways = sum(n for last, n in counts[start].items() if last < piece)
                if ways and piece in self._names:
                    counts[end][piece] = counts[end].get(piece, 0) + ways
        return sum(counts[-1].values()) == 1


def _extended(reading: _Reading, piece: str, known: bool) -> _Reading:
    unread, disorder, count, names = reading
    out_of_order = bool(names) and piece.lower() < names[-1].lower()
    return unread + (not known), disorder + out_of_order, count + 1, (*names, piece)


def _better(one: _Reading | None, other: _Reading) -> _Reading:
    return other if one is None or other[:3] < one[:3] else one
