"""The operators that the name of a generated kernel holds.

They stand in alphabetical order, joined with underscores that they hold themselves, so that reading them
needs a vocabulary.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from tb_plugin_explain.comparison.operator_names import bare
from tb_plugin_explain.comparison.unit import Generated
from tb_plugin_explain.glossary import glossary
from tb_plugin_explain.glossary.fused_names import Vocabulary
from tb_plugin_explain.trace.generated_names import read_generated

# The one operator that keeps its in-place name in the graph that Inductor compiles.
_IN_PLACE = "copy_"


@lru_cache(maxsize=4)
def _vocabularies(seen: frozenset[str]) -> tuple[Vocabulary, Vocabulary]:
    """The operators that were seen, and these with all that are known."""
    return Vocabulary(seen), Vocabulary(seen | glossary().operator_words | {_IN_PLACE})


def take_apart(name: str, seen: Collection[str] = ()) -> Generated | None:
    """What the name of a kernel or CPU operator holds; None if no compiler made it up.

    seen: operators that the other side ran, which are tried before all that are known. User Triton
    kernels have names of their own and are none.
    """
    read = read_generated(name)
    if read is None:
        return None
    identity, kind, joined = read
    if not joined:
        return Generated(identity, kind, (), False)
    ours, all_known = _vocabularies(frozenset(seen))
    pieces = ours.split(joined) if seen else ()
    if not pieces or not all(piece in seen for piece in pieces):
        pieces = all_known.split(joined)
    sure = bool(pieces) and all_known.has_only_reading(joined)
    return Generated(identity, kind, tuple(dict.fromkeys(map(bare, pieces))), sure)
