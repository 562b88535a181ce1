"""A disk that is full, or that may not be written: costs what would be kept, and no answer."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tb_plugin_explain.plugin import routes
from tests.faults.cache_tabs import open_tab, write_trace
from tests.faults.servers import serving, settled, until
from tests.faults.small_disks import make_read_only, resize, small_disk
from tests.load import slowness

pytestmark = pytest.mark.skipif(os.name != "posix", reason="mounts file systems")


def kept(cache: Path) -> list[str]:
    return sorted(str(path.relative_to(cache)) for path in cache.rglob("*") if path.is_file())


def test_a_disk_without_room_costs_what_would_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(routes._ERRORS_KEPT_S, "not_kept", 1.0)
    write_trace(tmp_path / "runs" / "trace.json", 1)
    with small_disk(tmp_path / "cache", "8k") as cache, open_tab(tmp_path / "runs", cache) as tab:
        [file_id] = tab.files().values()
        assert tab.settled("/report", file=file_id)["state"] == "ready"
        error = tab.settled("/timeline", file=file_id)["error"]
        assert error["kind"] == "not_kept"
        assert "No space left on device" in error["message"]
        # The report may find room, if it comes after what was tried of the timeline.
        assert [name for name in kept(cache) if not re.fullmatch(r"reports/\w+\.json\.gz", name)] == []
        # Asked again once there is room, it is there.
        resize(cache, "10m")
        until(lambda: tab.settled("/timeline", file=file_id)["state"], lambda state: state == "ready")
        assert kept(cache)


def test_what_was_used_longest_ago_makes_room_on_a_full_disk(tmp_path: Path) -> None:
    """Long before the cache has its own limit."""
    with small_disk(tmp_path / "cache", "520k") as cache:
        for directory in ("reports", "timelines"):
            (cache / directory).mkdir()
        for number in range(5):
            path = cache / "reports" / f"{number:064x}.json.gz"
            path.write_bytes(bytes(100_000))
            os.utime(path, (number + 1, number + 1))
        write_trace(tmp_path / "runs" / "trace.json", 1)
        with open_tab(tmp_path / "runs", cache) as tab:
            [file_id] = tab.files().values()
            assert tab.settled("/report", file=file_id)["state"] == "ready"
            assert tab.settled("/timeline", file=file_id)["state"] == "ready"
        assert f"reports/{4:064x}.json.gz" in kept(cache)
        assert f"reports/{0:064x}.json.gz" not in kept(cache)
        assert not [name for name in kept(cache) if "unfinished" in name]


def test_a_home_that_is_read_only(tmp_path: Path) -> None:
    write_trace(tmp_path / "runs" / "trace.json", 1)
    with small_disk(tmp_path / "cache", "1m") as cache:
        make_read_only(cache)
        with serving(tmp_path, "--logdir", tmp_path / "runs") as server:
            [file_id] = server.files().values()
            for route in ("report", "timeline"):
                assert settled(server, f"{route}?file={file_id}")["state"] == "ready"
            assert server.plugin(f"timeline/window?file={file_id}&from=0&to=900000&px=800").status == 200
            assert server.stop() < 2.0 * slowness()
        told = [line for line in server.log if "only while it runs" in line]
        assert len(told) == 1
        assert "Read-only file system" in told[0]
        assert kept(cache) == []


def test_nothing_at_all_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container without any disk: there are reports, and no timelines, and it is said why."""
    write_trace(tmp_path / "runs" / "trace.json", 1)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    with open_tab(tmp_path / "runs", None) as tab:
        [file_id] = tab.files().values()
        assert tab.settled("/report", file=file_id)["state"] == "ready"
        error = tab.settled("/timeline", file=file_id)["error"]
        assert error["kind"] == "not_kept"
        assert "no temporary directory could be made" in error["message"]
        assert "disk space" not in error["message"]
