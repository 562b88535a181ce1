"""The part of a kernel's name that says which function it is.

Three spellings occur: C++ (``void at::native::reduce_kernel<512, …>(…)``), the same mangled
(``_ZN5aiter24add_rmsnorm_quant_kernelI…``, Itanium C++ ABI), and plain names of generated code.
"""

from __future__ import annotations

import re

_UNNAMED = ("(anonymous namespace)::", "<unnamed>::")
_NESTED = re.compile(r"_ZN(?:K|V)?")
_TEMPLATE = re.compile(r"[<(]")
_RESULT = re.compile(r"(?:std::enable_if<.*?>::type|__global__|static|void) ")
_MANGLED_UNNAMED = "_GLOBAL__N_1"


def plain_kernel_name(name: str) -> str:
    """The name without result type, unnamed namespaces and the ``.kd`` of AMD's kernel descriptors."""
    if name.startswith("_Z"):
        function, rest = _demangled_function(name)
        return f"{function}<{rest}" if function else name
    for unnamed in _UNNAMED:
        if unnamed in name:
            name = name.replace(unnamed, "")
    result = _RESULT.match(name)
    if result:
        name = name[result.end() :]
    return name.removesuffix(".kd")


def function_of(plain: str) -> str:
    """``at::native::reduce_kernel`` of ``at::native::reduce_kernel<512, …>(…)``."""
    return _TEMPLATE.split(plain, maxsplit=1)[0].strip()


def parts_of(function: str) -> dict[str, str]:
    """Of ``vllm::moe::topk`` the outermost name space, ``vllm``, and the ``function`` itself, ``topk``."""
    names = function.split("::")
    return {"namespace": names[0], "function": names[-1]}


def _demangled_function(name: str) -> tuple[str, str]:
    nested = _NESTED.match(name)
    at = nested.end() if nested else 2
    parts = []
    while at < len(name) and name[at].isdigit():
        digits = at
        while at < len(name) and name[at].isdigit():
            at += 1
        length = int(name[digits:at])
        parts.append(name[at : at + length])
        at += length
        if not nested:
            break
    return "::".join(p for p in parts if p != _MANGLED_UNNAMED), name[at:]
