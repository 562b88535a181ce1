"""The generated log directory of 3,000 runs, once for all tests of the plugin."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def many_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """3,000 runs of one file each, as a year of training leaves them."""
    root = tmp_path_factory.mktemp("many")
    original = root / "original"
    original.write_text('{"traceEvents": []}')
    logdir = root / "runs"
    for number in range(3000):
        directory = logdir / f"run_{number:04d}"
        directory.mkdir(parents=True)
        os.link(original, directory / f"w.1700000000{number:04d}.pt.trace.json")
    return logdir
