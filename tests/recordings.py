"""The runs in ``tests/samples/compare``, read once each."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tb_plugin_explain.trace.model import Trace
from tb_plugin_explain.trace.reader import read_trace

COMPARED = Path(__file__).parent / "samples" / "compare"
NAMES = sorted(path.name for path in COMPARED.iterdir() if path.is_dir())


def file_of(name: str) -> Path:
    """The only file of a run."""
    (file,) = (COMPARED / name).iterdir()
    return file


@cache
def recording(name: str) -> Trace:
    return read_trace(str(file_of(name)))
