"""Takes the name of a generated kernel apart (torch/_inductor/codegen/triton.py, cpp.py).

``triton_{kind}_fused_{operators}_{n}``, ``cpp_fused_…_{n}`` and ``graph_0_cpp_fused_…_{n}_{m}``, and
templates in CUTLASS (``cutlass_fused_…``, ``cuda_fused_…``). The operators stand in alphabetical order,
joined with underscores that they hold themselves, so that reading them needs a vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from tb_plugin_explain.comparison.operator_names import bare
from tb_plugin_explain.comparison.unit import Generated
from tb_plugin_explain.glossary import glossary
from tb_plugin_explain.glossary.fused_names import Vocabulary

# Compilers before Triton 3 append what they know of the arguments: ``_0d1d2d3de``.
_ARGUMENTS = r"(?:_?(?=\d+[dec])[\ddec]+)?"
_NAME = re.compile(
    r"(?:graph_\d+_)?(?P<stem>(?P<family>triton|cpp|cutlass|cuda|rocm|xpu)"
    r"(?:_(?P<kind>[a-z]{3}))?_fused)_?(?P<ops>\w*?)(?:_\d+){1,2}" + _ARGUMENTS
)
_NAMELESS = re.compile(r"triton_(?:[a-z]{3}_)?\d*" + _ARGUMENTS)
_TEMPLATES = ("cutlass", "cuda", "rocm", "xpu")
_UNKNOWN = "unk"
# The one operator that keeps its in-place name in the graph that Inductor compiles.
_IN_PLACE = "copy_"


@lru_cache(maxsize=4)
def _vocabularies(seen: frozenset[str]) -> tuple[Vocabulary, Vocabulary]:
    """The operators that were seen, and these with all that are known."""
    return Vocabulary(seen), Vocabulary(seen | glossary().operator_words | {_IN_PLACE})


def is_nameless(name: str) -> bool:
    """Whether it is a generated kernel whose name holds no operators: ``triton__0d1d2d``."""
    return _NAMELESS.fullmatch(name) is not None


def take_apart(name: str, seen: Collection[str] = ()) -> Generated | None:
    """What the name of a kernel or CPU operator holds; None if no compiler made it up.

    seen: operators that the other side ran, which are tried before all that are known. User Triton
    kernels have names of their own and are none.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return Generated(name, _UNKNOWN, (), False) if is_nameless(name) else None
    kind = match["kind"] or ("tem" if match["family"] in _TEMPLATES else match["family"])
    joined = match["ops"]
    identity = f"{match['stem']}_{joined}" if joined else name
    ours, all_known = _vocabularies(frozenset(seen))
    pieces = ours.split(joined) if seen else ()
    if not pieces or not all(piece in seen for piece in pieces):
        pieces = all_known.split(joined)
    sure = bool(pieces) and all_known.has_only_reading(joined)
    return Generated(identity, kind, tuple(dict.fromkeys(map(bare, pieces))), sure)
