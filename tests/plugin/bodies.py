"""What an answer of a route holds."""

from __future__ import annotations

import gzip
import json
from typing import Any

from tb_plugin_explain.plugin.answers import Answer


def body(answer: Answer) -> Any:
    """Its JSON, unpacked where it is gzipped."""
    return json.loads(gzip.decompress(answer.body) if answer.gzipped else answer.body)
