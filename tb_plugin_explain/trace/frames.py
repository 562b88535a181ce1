"""Names of Python frames: modules of torch, and whose code a frame is.

docs/definitions/call_sites.md, "User frame". Each predicate takes the text of a name and is asked
once for each distinct name of a trace.
"""

from __future__ import annotations

import re
import sys

_MODULE = "nn.Module: "
_FRAME = re.compile(r"(?P<file>[^<].*)\(\d+\): .+", re.DOTALL)
_INSTALLED = re.compile(r".*(?:/|^)(?:site|dist)-packages/")
_PYTHON_HOME = re.compile(r".*/lib/python\d+\.\d+/")
_DRIVE = re.compile(r"[A-Za-z]:")
# Triton is the compiler's launcher: its frames stand between the user's and a kernel.
_TORCH = frozenset({"torch", "torchgen", "functorch", "triton"})
# Generated code lies below a directory of this name (torch/_inductor/runtime/cache_dir_utils.py).
_GENERATED = "torchinductor_"


def is_module_frame(name: str) -> bool:
    """Whether it is the call of an ``nn.Module``."""
    return name.startswith(_MODULE)


def module_name(name: str) -> str:
    """Class and number of a module frame: ``Linear_0``."""
    return name.removeprefix(_MODULE)


def _first_part(path: str) -> str:
    return path.partition("/")[0].removesuffix(".py")


def is_user_frame(name: str) -> bool:
    """Whether a frame is code of neither torch nor Python."""
    frame = _FRAME.fullmatch(name)
    if frame is None or is_module_frame(name):
        return False
    path = frame["file"].replace("\\", "/")
    installed = _INSTALLED.match(path)
    home = None if installed else _PYTHON_HOME.match(path)
    relative = path[installed.end() :] if installed else path
    if home or _GENERATED in path or _first_part(relative) in _TORCH:
        return False
    is_absolute = path.startswith("/") or _DRIVE.match(path) is not None
    return bool(installed) or is_absolute or _first_part(path) not in sys.stdlib_module_names
