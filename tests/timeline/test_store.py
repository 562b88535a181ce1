"""Stores survive what happens to files: cut, deleted, written twice, no room."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

import tb_plugin_explain
from tb_plugin_explain.timeline import store as store_module
from tb_plugin_explain.timeline.pyramid import narrowed
from tb_plugin_explain.timeline.store import (
    DamagedStore,
    open_store,
    remove_store,
)
from tests.timeline.windows import see, store_of
from tests.trace_drawing import draw

PICTURE = """
    us :0    5    10
    cpu:[op      ]
    s7 :   [?   ]
"""


def written(directory: Path) -> Path:
    store_of(draw(PICTURE), directory)
    return directory


def test_what_is_written_is_read(tmp_path: Path) -> None:
    store = open_store(written(tmp_path / "a" / "store"))
    assert [lane.kind for lane in store.timeline.lanes] == ["thread", "stream"]
    assert len(see(store, 0, 20_000).rectangles()) == 2
    assert not any(column.flags.writeable for column in store.columns.values() if column.size)
    assert os.listdir(tmp_path / "a") == ["store"]


def test_only_the_user_may_read_it(tmp_path: Path) -> None:
    directory = written(tmp_path / "new" / "store")
    assert directory.stat().st_mode & 0o077 == 0
    assert directory.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "damage",
    [
        "no index",
        "bad index",
        "cut columns",
        "no columns",
        "other bytes",
        "other byte",
        "empty",
        "other places",
    ],
)
def test_a_damaged_store_is_told(tmp_path: Path, damage: str) -> None:
    directory = written(tmp_path / "store")
    index, columns = directory / "files.json", directory / "columns.bin"
    content = columns.read_bytes()
    if damage == "no index":
        index.unlink()
    elif damage == "bad index":
        index.write_bytes(index.read_bytes()[:-9])
    elif damage == "cut columns":
        columns.write_bytes(content[:-3])
    elif damage == "no columns":
        columns.unlink()
    elif damage == "other bytes":
        columns.write_bytes(b"x" * len(content))
    elif damage == "other byte":
        columns.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif damage == "other places":
        places = directory / "columns.json"
        told = json.loads(places.read_bytes())
        told["event_start_ns"] = {"dtype": "O", "shape": [1], "begin": 0}
        places.write_text(json.dumps(told))
        checksums = json.loads(index.read_bytes())
        checksums["files"]["columns.json"] = zlib.crc32(places.read_bytes())
        index.write_text(json.dumps(checksums))
    else:
        columns.write_bytes(b"")
    with pytest.raises(DamagedStore):
        open_store(directory)
    remove_store(directory)
    assert os.listdir(tmp_path) == []


def test_another_version_is_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = written(tmp_path / "store")
    written_as = store_module.VERSION
    monkeypatch.setattr(store_module, "VERSION", 999)
    with pytest.raises(DamagedStore, match=f"version {written_as}"):
        open_store(directory)


def test_a_damaged_store_is_replaced_and_a_whole_one_kept(tmp_path: Path) -> None:
    directory = written(tmp_path / "store")
    first = (directory / "timeline.json").stat().st_ino
    written(directory)
    assert (directory / "timeline.json").stat().st_ino == first
    (directory / "timeline.json").write_text("{}")
    written(directory)
    assert len(see(open_store(directory), 0, 20_000).rectangles()) == 2
    assert os.listdir(tmp_path) == ["store"]


def test_who_has_it_open_keeps_it(tmp_path: Path) -> None:
    store = open_store(written(tmp_path / "store"))
    remove_store(tmp_path / "store")
    remove_store(tmp_path / "store")
    assert len(see(store, 0, 20_000).rectangles()) == 2


_WRITER = """
import sys
from pathlib import Path
from tb_plugin_explain.timeline.store import DamagedStore, open_store, remove_store
from tests.timeline.test_store import written
from tests.timeline.windows import see
for turn in range(12):
    directory = Path(sys.argv[1])
    try:
        store = open_store(written(directory))
    except DamagedStore:
        continue  # The other one has removed it meanwhile.
    assert len(see(store, 0, 20_000).rectangles()) == 2
    if turn % 4 == 3:
        remove_store(directory)
"""


def test_two_processes_write_the_same_store(tmp_path: Path) -> None:
    root = str(Path(tb_plugin_explain.__file__).parents[1])
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path / "store")], env={**os.environ, "PYTHONPATH": root}
        )
        for _ in range(2)
    ]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    assert set(os.listdir(tmp_path)) <= {"store"}


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    """A limit on file sizes stands in for the disk: the kernel says no at the same place."""
    script = f"""
import resource, signal
from pathlib import Path
from tests.timeline.test_store import written
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
try:
    written(Path({str(tmp_path / "store")!r}))
except OSError as error:
    raise SystemExit(error.errno)
"""
    root = str(Path(tb_plugin_explain.__file__).parents[1])
    ended = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": root}, timeout=60)
    assert ended.returncode == errno.EFBIG
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([0, 255], np.uint8),
        ([0, 256], np.uint16),
        ([-1, 2**31 - 1], np.int32),
        ([0, 2**32 - 1], np.uint32),
        ([-1, 2**31], np.int64),
        ([], np.int64),
    ],
)
def test_columns_are_as_small_as_they_may(values: list[int], dtype: type) -> None:
    column = narrowed(np.array(values, np.int64))
    assert column.dtype == dtype
    assert column.tolist() == values
