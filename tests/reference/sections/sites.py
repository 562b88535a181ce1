"""The site of a wait: who asked for it."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

from .. import names
from ..load import Event
from .basis import Basis, is_operator
from .nesting import Nesting, is_annotation, is_module

TORCH_PARTS = ("torch", "torchgen", "functorch", "triton")
_FRAME = re.compile(r"(.+)\([0-9]+\): .+", re.DOTALL)
_PACKAGES = re.compile(r".*(?:site-packages/|dist-packages/|/lib/python[0-9]+\.[0-9]+/)", re.DOTALL)
_PYTHON = re.compile(r"/lib/python[0-9]+\.[0-9]+/")
_DRIVE = re.compile(r"[A-Za-z]:")


class Site(NamedTuple):
    operator: str | None
    top_operator: str | None
    module: str | None
    annotation: str | None
    phase: str
    source: str | None


class Sites:
    def __init__(self, basis: Basis, nesting: Nesting) -> None:
        self.nesting = nesting
        forward = [nesting.forward_operator(node) for node in nesting.backward_nodes()]
        self.forward_tops = {nesting.top_operator(f).index for f in forward if f is not None}

    def operator(self, wait: Event) -> Event | None:
        return next((a for a in self.nesting.ancestors(wait) if is_operator(a)), None)

    def of(self, wait: Event) -> Site:
        nesting = self.nesting
        operator = self.operator(wait)
        forward = nesting.forward_of(wait)
        return Site(
            operator=None if operator is None else operator.name,
            top_operator=None if operator is None else nesting.top_operator(operator).name,
            module=self._module(wait) or (None if forward is None else self._module(forward)),
            annotation=next((a.name for a in nesting.ancestors(wait) if is_annotation(a)), None),
            phase=self._phase(wait),
            source=self._source(wait) or (None if forward is None else self._source(forward)),
        )

    def _module(self, event: Event) -> str | None:
        return "/".join(self.nesting.module_path(event)) or None

    def _source(self, event: Event) -> str | None:
        return next((a.name for a in self.nesting.ancestors(event) if is_user_frame(a)), None)

    def _phase(self, wait: Event) -> str:
        above = list(self.nesting.ancestors(wait))
        if any(names.is_data_loader(a.name) for a in above):
            return "input"
        if any(a.name.startswith("Optimizer.") for a in above):
            return "optimizer"
        if self.nesting.node[wait.index] is not None:
            return "backward"
        if any(is_module(a) or a.index in self.forward_tops for a in above):
            return "forward"
        return "other"


def is_user_frame(frame: Event) -> bool:
    if frame.kind != names.PYTHON or is_module(frame) or frame.name.startswith("<"):
        return False
    matched = _FRAME.fullmatch(frame.name)
    if matched is None:
        return False
    path = matched.group(1).replace("\\", "/")
    return not is_of_torch(path) and not is_of_python(path)


def is_of_torch(path: str) -> bool:
    """What follows the last `site-packages/`, `dist-packages/` or `/lib/pythonX.Y/` counts."""
    counts = _PACKAGES.sub("", path, count=1)
    return counts.split("/")[0] in TORCH_PARTS or "torchinductor_" in path


def is_of_python(path: str) -> bool:
    if "site-packages/" in path or "dist-packages/" in path:
        return False
    if _PYTHON.search(path):
        return True
    if path.startswith("/") or _DRIVE.match(path):
        return False
    return path.split("/")[0].removesuffix(".py") in sys.stdlib_module_names
