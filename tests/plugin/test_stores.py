"""Timelines that are opened for the routes: found, damaged, removed, temporary."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tb_plugin_explain.plugin.stores import Stores
from tests.timeline.windows import store_of
from tests.trace_drawing import draw

KEY = "a" * 64


def make(stores: Stores, key: str = KEY) -> Path:
    store_of(draw("us :0    5\ncpu:[op  ]"), stores.path(key))
    return stores.path(key)


@pytest.mark.parametrize("on_disk", [True, False])
def test_a_timeline_is_found_once_it_is_there(tmp_path: Path, on_disk: bool) -> None:
    stores = Stores(tmp_path if on_disk else None)
    assert stores.get(KEY) is None
    directory = make(stores)
    found = stores.get(KEY)
    assert found is not None
    assert found is stores.get(KEY)
    stores.close()
    assert directory.exists() == on_disk


def test_a_damaged_one_is_removed(tmp_path: Path) -> None:
    directory = make(Stores(tmp_path))
    (directory / "columns.bin").unlink()
    assert Stores(tmp_path).get(KEY) is None
    assert not directory.exists()


def test_one_that_fails_in_use_is_removed_once(tmp_path: Path) -> None:
    stores = Stores(tmp_path)
    directory = make(stores)
    stores.get(KEY)
    assert stores.remove(KEY)
    assert not directory.exists()
    assert stores.get(KEY) is None
    assert not stores.remove(KEY)


def test_one_that_was_written_to_is_checked_again(tmp_path: Path) -> None:
    stores = Stores(tmp_path)
    columns = make(stores) / "columns.bin"
    opened = stores.get(KEY)
    os.utime(columns, (1, 1))
    again = stores.get(KEY)
    assert again is not None
    assert again is not opened
    assert stores.get(KEY) is again


def test_one_that_was_cut_in_use_is_removed_as_often_as_it_happens(tmp_path: Path) -> None:
    stores = Stores(tmp_path)
    for _ in range(2):
        directory = make(stores)
        assert stores.get(KEY) is not None
        os.truncate(directory / "columns.bin", 0)
        assert stores.get(KEY) is None
        assert not directory.exists()


def test_few_stay_open(tmp_path: Path) -> None:
    stores = Stores(tmp_path)
    keys = [f"{number:064x}" for number in range(12)]
    for key in keys:
        make(stores, key)
    opened = [stores.get(key) for key in keys]
    assert stores.get(keys[-1]) is opened[-1]
    assert stores.get(keys[0]) is not opened[0]


def test_using_it_keeps_it_longer(tmp_path: Path) -> None:
    directory = make(Stores(tmp_path))
    os.utime(directory, (1, 1))
    Stores(tmp_path).get(KEY)
    assert directory.stat().st_mtime > 1
