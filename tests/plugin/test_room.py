"""Reports and timelines share one limit; what was used longest ago goes first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tb_plugin_explain.plugin.room import make_room


def answer(root: Path, number: int, size: int = 1000) -> Path:
    path = root / "reports" / f"{number:064x}.json.gz"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"x" * size)
    os.utime(path, (number, number))
    return path


def timeline(root: Path, number: int, size: int = 1000) -> Path:
    path = root / "timelines" / f"{number:064x}"
    path.mkdir(parents=True)
    (path / "columns.bin").write_bytes(b"x" * (size // 2))
    (path / "columns.json").write_bytes(b"x" * (size - size // 2))
    os.utime(path, (number, number))
    return path


def left(root: Path) -> list[str]:
    return sorted(path.name for path in root.glob("*/*"))


def test_the_oldest_of_both_go_first(tmp_path: Path) -> None:
    paths = [answer(tmp_path, 1), timeline(tmp_path, 2), answer(tmp_path, 3), timeline(tmp_path, 4)]
    make_room(tmp_path, 2500)
    assert [path.exists() for path in paths] == [False, False, True, True]


def test_what_fits_stays(tmp_path: Path) -> None:
    answer(tmp_path, 1)
    timeline(tmp_path, 2)
    make_room(tmp_path, 2000)
    assert len(left(tmp_path)) == 2


def test_the_timeline_in_use_stays_however_large(tmp_path: Path) -> None:
    paths = [timeline(tmp_path, 1), answer(tmp_path, 2), timeline(tmp_path, 3, 9000), answer(tmp_path, 4)]
    make_room(tmp_path, 2500)
    assert [path.exists() for path in paths] == [False, False, True, False]


@pytest.mark.parametrize("name", ["notes", "explain-unfinished-new"])
def test_nothing_of_others_is_removed(tmp_path: Path, name: str) -> None:
    timeline(tmp_path, 1)
    (tmp_path / "timelines" / name).mkdir()
    (tmp_path / "timelines" / name / "big").write_bytes(b"x" * 9000)
    make_room(tmp_path, 500)
    assert name in left(tmp_path)


def test_what_a_killed_process_left_goes_after_an_hour(tmp_path: Path) -> None:
    timeline(tmp_path, 1)
    abandoned = tmp_path / "timelines" / "explain-unfinished-old"
    abandoned.mkdir()
    (abandoned / "columns.bin").write_bytes(b"x")
    os.utime(abandoned, (1, 1))
    make_room(tmp_path, 10**6)
    assert not abandoned.exists()


def test_a_directory_that_is_not_there_is_no_fault(tmp_path: Path) -> None:
    make_room(tmp_path / "none", 1)
    assert list(tmp_path.iterdir()) == []
