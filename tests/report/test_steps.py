"""Steps as the report shows them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tb_plugin_explain.report import explain_path


@pytest.mark.parametrize(
    ("pid", "shown"),
    [(4100, 4100), ("4100", 4100), ("-5", -5), ("--5", "--5"), ("²", "²"), ("1" * 5000, "1" * 5000)],
    ids=["number", "digits", "negative", "two-signs", "superscript", "too-long"],
)
def test_a_process_id_is_a_number_where_it_is_one(tmp_path: Path, pid: object, shown: object) -> None:
    step = {
        "ph": "X",
        "cat": "user_annotation",
        "name": "ProfilerStep#1",
        "pid": pid,
        "tid": 1,
        "ts": 1,
        "dur": 2,
    }
    file = tmp_path / "trace.json"
    file.write_text(json.dumps({"traceEvents": [step]}))
    assert [s.pid for s in explain_path(str(file)).steps] == [shown]
