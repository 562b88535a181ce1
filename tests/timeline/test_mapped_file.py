"""A mapped file tells what happened to it since it was opened."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tb_plugin_explain.timeline.mapped_file import MappedFile

NUMBERS = np.arange(12_000, dtype="<i4")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    NUMBERS.tofile(tmp_path / "numbers")
    return tmp_path / "numbers"


def test_arrays_are_what_was_written_and_stay_so(path: Path) -> None:
    file = MappedFile(path)
    array = file.array("<i4", (3, 2), 40)
    assert array.tolist() == [[10, 11], [12, 13], [14, 15]]
    assert not array.flags.writeable
    path.unlink()
    assert file.is_as_opened()
    del file
    gc.collect()
    assert array.tolist() == [[10, 11], [12, 13], [14, 15]]


def cut(path: Path) -> None:
    os.truncate(path, 4096)


def grown(path: Path) -> None:
    with open(path, "ab") as file:
        file.write(b"more")


def overwritten(path: Path) -> None:
    """With as many other bytes; a moment later, which the system's clock of files can tell."""
    before = path.stat().st_mtime_ns
    while path.stat().st_mtime_ns == before:
        with open(path, "r+b") as file:
            file.write(b"other")


@pytest.mark.parametrize("change", [cut, grown, overwritten])
def test_it_notices_a_change(path: Path, change: Callable[[Path], None]) -> None:
    file = MappedFile(path)
    assert file.is_as_opened()
    change(path)
    assert not file.is_as_opened()
    assert MappedFile(path).is_as_opened()


def test_what_cannot_be_mapped_is_told(path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        MappedFile(path.parent / "missing")
    os.truncate(path, 0)
    with pytest.raises(ValueError, match="empty"):
        MappedFile(path)


@pytest.mark.parametrize(
    ("dtype", "shape", "begin"),
    [
        ("<i4", (12_001,), 0),
        ("<i4", (2,), -8),
        ("<i4", (-1,), 0),
        ("<i4", (-1, -1), 0),
        ("O", (1,), 0),
        ("?x", (1,), 0),
    ],
)
def test_an_array_that_is_not_in_the_file_is_told(
    path: Path, dtype: str, shape: tuple[int, ...], begin: int
) -> None:
    """Also where it would be read from outside of it, or bytes would be taken for Python's own objects."""
    with pytest.raises((ValueError, TypeError)):
        MappedFile(path).array(dtype, shape, begin)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_it_is_closed_with_its_arrays(path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        MappedFile(path).array("<i4", (2,), 0)
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before
