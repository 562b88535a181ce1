"""What a process of ours tells Python and its libraries."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.case_files import CASES

PROGRAM = """
import os
from tb_plugin_explain.__main__ import program
program()
print(len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="the kernel does not list threads")
def test_numpy_starts_no_threads_that_only_wait() -> None:
    command = [sys.executable, "-c", PROGRAM, "report", str(CASES / "T01-tutorial-64-cold.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "1"
