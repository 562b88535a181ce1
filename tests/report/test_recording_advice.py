"""What the advice on recording shows: all that is lacking, and nothing given up for it."""

from __future__ import annotations

import json
from pathlib import Path

from tb_plugin_explain.report import explain_path
from tb_plugin_explain.report_schema import Trust

OPERATOR = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 2}
STEP = {**OPERATOR, "cat": "user_annotation", "name": "ProfilerStep#1"}


def trust(directory: Path, event: dict[str, object], **keys: object) -> Trust:
    file = directory / "trace.json"
    file.write_text(json.dumps({"deviceProperties": [], **keys, "traceEvents": [event]}))
    return explain_path(str(file)).trust


def test_without_steps_the_lines_call_step(tmp_path: Path) -> None:
    lines = trust(tmp_path, OPERATOR).record_better
    assert lines is not None
    assert lines.endswith("prof.step()")


def test_options_of_this_recording_stay(tmp_path: Path) -> None:
    lines = trust(tmp_path, STEP, with_stack=1, profile_memory=1).record_better
    assert lines is not None
    assert {"  record_shapes=True,", "  with_stack=True,", "  profile_memory=True,"} <= set(lines.split("\n"))


def test_missing_ranks_alone_need_no_other_recording(tmp_path: Path) -> None:
    ranks = {"distributedInfo": {"rank": 0, "world_size": 8}}
    told = trust(tmp_path, STEP, record_shapes=1, with_stack=1, **ranks)
    assert "files of all ranks" in " ".join(c.text for c in told.cannot)
    assert told.record_better is None
