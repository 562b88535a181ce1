"""The scanner gives back what it takes, also where it is used wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb_plugin_explain.trace.engine import scanner
from tests.faults.large_traces import run_python

pytestmark = [
    pytest.mark.skipif(scanner is None, reason="the scanner in C was not built"),
    pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc"),
]


def test_thousands_of_scanners_leave_no_memory_behind() -> None:
    """One small object lost in each of 3,000 rounds would be 3,000 blocks, one buffer 24 MB."""
    ended = run_python("from tests.trace.leaking import main; main()")
    assert ended.returncode == 0, ended.stderr
    blocks, grown_bytes, references = map(int, ended.stdout.split())
    assert blocks < 1000
    assert grown_bytes < 8e6
    assert references == 0
