"""Names that Inductor gives to the kernels it writes; docs/definitions/kernels.md, "Compiled kernels".

``triton_{kind}_fused_{operators}_{n}`` (torch/_inductor/codegen/triton.py; PyTorch 2.0 wrote no kind),
``cpp_fused_…_{n}`` and ``graph_0_cpp_fused_…_{n}_{m}`` (codegen/cpp.py), and templates of other languages
(``cutlass_fused_…``, ``rocm_fused_…``). Without descriptive names: ``triton_poi__3``, ``triton__0d1d2``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# The first three letters of torch/_inductor/wrapper_benchmark.py, _kernel_category_choices, of "unknown"
# and of "mix" (reductions of several orders). A kernel of other letters is somebody’s own.
_KINDS = "poi|red|per|tem|for|spl|mix|unk"
# Compilers before Triton 3 append what they know of the arguments: ``_0d1d2d3de``.
_ARGUMENTS = r"(?:_?(?=\d+[dec])[\ddec]+)?"
_FUSED = re.compile(
    rf"(?:graph_\d+_)?(?P<stem>(?P<family>triton|cpp|cutlass|cuda|rocm|xpu)(?:(?<=triton)_(?P<kind>{_KINDS}))?"
    rf"_fused)_?(?P<ops>\w*?)(?:_\d+){{1,2}}{_ARGUMENTS}"
)
_NAMELESS = re.compile(rf"triton_(?:(?P<kind>{_KINDS})_|_(?=\d))?_?\d*{_ARGUMENTS}")
_TEMPLATES = ("cutlass", "cuda", "rocm", "xpu")
_UNKNOWN = "unk"


class GeneratedName(NamedTuple):
    """A generated name taken apart.

    identity: the name without the compiler’s counting at its end; the whole name where it holds no operator.
    kind: ``poi``, ``red``, ``tem``, …; ``cpp``; ``triton`` where the version wrote none.
    operators: those that it holds, joined by ``_`` as they stand; ``""`` where it holds none.
    """

    identity: str
    kind: str
    operators: str


def read_generated(name: str) -> GeneratedName | None:
    """What the name of a generated kernel holds; None of names that Inductor does not give."""
    fused = _FUSED.fullmatch(name)
    if fused is None:
        nameless = _NAMELESS.fullmatch(name)
        return nameless and GeneratedName(name, nameless["kind"] or _UNKNOWN, "")
    kind = fused["kind"] or ("tem" if fused["family"] in _TEMPLATES else fused["family"])
    operators = fused["ops"]
    return GeneratedName(f"{fused['stem']}_{operators}" if operators else name, kind, operators)


def is_generated(name: str) -> bool:
    """Whether Inductor wrote the kernel of this name."""
    return read_generated(name) is not None
