"""Splits the names of fused kernels, ``add_native_layer_norm_view``, into operators.

Inductor joins the sorted names of the operators with underscores, which the names hold themselves
(torch/_inductor/codegen/triton.py). So a vocabulary is needed; of several readings the one that
leaves least unread is taken, then the one in alphabetical order, then the one with fewest names.
"""

from __future__ import annotations

from collections.abc import Collection

_LONGEST = 12
_Reading = tuple[int, int, int, tuple[str, ...]]


def split(joined: str, vocabulary: Collection[str]) -> tuple[str, ...]:
    """The operators in a joined name. Words in no vocabulary entry stand as they are."""
    words = joined.split("_")
    best: list[_Reading | None] = [None] * (len(words) + 1)
    best[0] = (0, 0, 0, ())
    for end in range(1, len(words) + 1):
        for start in range(max(0, end - _LONGEST), end):
            reading = best[start]
            piece = "_".join(words[start:end])
            known = piece in vocabulary
            if reading is None or not piece.strip("_") or not (known or end == start + 1):
                continue
            best[end] = _better(best[end], _extended(reading, piece, known))
    found = best[-1]
    return found[3] if found else tuple(w for w in words if w)


def _extended(reading: _Reading, piece: str, known: bool) -> _Reading:
    unread, disorder, count, names = reading
    out_of_order = bool(names) and piece.lower() < names[-1].lower()
    return unread + (not known), disorder + out_of_order, count + 1, (*names, piece)


def _better(one: _Reading | None, other: _Reading) -> _Reading:
    return other if one is None or other[:3] < one[:3] else one


def is_only_reading(joined: str, vocabulary: Collection[str]) -> bool:
    """Whether there is one way to read the name as operators of the vocabulary, each once, in order."""
    words = joined.split("_")
    # For each end: how many readings end there, by their last operator.
    counts: list[dict[str, int]] = [{"": 1}, *({} for _ in words)]
    for end in range(1, len(words) + 1):
        for start in range(max(0, end - _LONGEST), end):
            piece = "_".join(words[start:end])
            ways = sum(n for last, n in counts[start].items() if last < piece)
            if ways and piece in vocabulary:
                counts[end][piece] = counts[end].get(piece, 0) + ways
    return sum(counts[-1].values()) == 1
