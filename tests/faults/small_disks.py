"""File systems of a given size, where the tests may mount some."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def small_disk(directory: Path, size: str) -> Iterator[Path]:
    """A file system of this size at ``directory``."""
    if os.getuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a small file system")
    directory.mkdir()
    if not _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(directory)):
        pytest.skip("no file system can be mounted here")
    try:
        yield directory
    finally:
        subprocess.run(["umount", "-l", str(directory)], check=True)


def make_read_only(directory: Path) -> None:
    """Of a small disk: nobody writes there any more, root neither."""
    assert _mount("-o", "remount,ro", str(directory))


def resize(directory: Path, size: str) -> None:
    assert _mount("-o", f"remount,size={size}", str(directory))


def _mount(*arguments: str) -> bool:
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0
