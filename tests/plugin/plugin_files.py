"""Log directories for the plugin's tests."""

from __future__ import annotations

import os
from pathlib import Path


def make_many_runs(root: Path) -> Path:
    """3,000 runs of one file each, as a year of training leaves them."""
    original = root / "original"
    original.write_text('{"traceEvents": []}')
    logdir = root / "runs"
    for number in range(3000):
        directory = logdir / f"run_{number:04d}"
        directory.mkdir(parents=True)
        os.link(original, directory / f"w.1700000000{number:04d}.pt.trace.json")
    return logdir
