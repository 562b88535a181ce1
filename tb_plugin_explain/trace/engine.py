"""What reads the events of a trace: the scanner in C where it was built, else msgspec. Both give the same."""

from __future__ import annotations

import os
from typing import Literal

try:
    from tb_plugin_explain.trace import _scan
except ImportError:  # built without a compiler
    _scan = None  # type: ignore[assignment]

scanner = _scan
Engine = Literal["c", "msgspec"]

ENGINE_VARIABLE = "TB_EXPLAIN_ENGINE"


def default_engine() -> Engine:
    """``c`` where it was built, unless the environment asks for ``msgspec``."""
    return "msgspec" if scanner is None or os.environ.get(ENGINE_VARIABLE) == "msgspec" else "c"
