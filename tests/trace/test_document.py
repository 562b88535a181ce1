"""Documents that hold hardly anything are refused in one line, wherever they end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.trace.reader import read_trace


@pytest.mark.parametrize("text", ["[", "[ \n", "{", '{"traceEvents"', '{"traceEvents": [', '{"a": '])
def test_a_document_that_ends_before_its_first_event_breaks_off(tmp_path: Path, text: str) -> None:
    file = tmp_path / "short.json"
    file.write_text(text)
    with pytest.raises(TraceError) as refused:
        read_trace(file)
    assert refused.value.kind == "truncated"
