"""Whatever happens to the files of the cache costs time, and never an answer."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tb_plugin_explain.plugin.answers import JSON
from tb_plugin_explain.timeline.store import DamagedStore, open_store
from tests.faults.cache_tabs import Tab, open_tab, write_trace
from tests.faults.large_traces import REPOSITORY
from tests.faults.servers import serving, until
from tests.plugin.real_tensorboard import Server

WINDOW = {"from": -1_000_000, "to": 3_000_000, "px": 800}


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("logdir")
    write_trace(directory / "run" / "trace.json", 1, 2)
    return directory


def answers_of(tab: Tab) -> Mapping[str, Any]:
    """What the page may ask of the one file: all of it comes from the cache, once it is there."""
    [file] = tab.files().values()
    return {
        "report": tab.settled("/report", file=file),
        "timeline": tab.settled("/timeline", file=file),
        "window": tab.settled("/timeline/window", file=file, **WINDOW),
        "event": tab.settled("/event", file=file, event=3),
        "args": tab.settled("/event/args", file=file, event=3),
        "search": tab.settled("/search", file=file, q="gemm"),
        "markdown": tab.settled("/export", file=file, format="markdown"),
    }


@pytest.fixture(scope="module")
def kept(logdir: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mapping[str, Any]]:
    """A cache that is filled, and the answers that it holds."""
    cache = tmp_path_factory.mktemp("kept") / "cache"
    with open_tab(logdir, cache) as tab:
        answers = answers_of(tab)
    assert {answer["state"] for answer in answers.values() if isinstance(answer, dict)} == {"ready"}
    return cache, answers


def files_of(cache: Path) -> list[Path]:
    return sorted(path for path in cache.rglob("*") if path.is_file())


def cut(content: bytes, at: int) -> bytes:
    return content[:at]


def flip(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 0x41]) + content[at + 1 :]


def noise(content: bytes, at: int) -> bytes:
    return content[:at] + random.Random(at).randbytes(len(content) - at)


def longer(content: bytes, at: int) -> bytes:
    return content + content[:at]


Damage = Callable[[bytes, int], bytes]


@pytest.mark.parametrize("damage", [cut, flip, noise, longer])
def test_every_file_damaged_at_a_random_place(
    logdir: Path, kept: tuple[Path, Mapping[str, Any]], tmp_path: Path, damage: Damage
) -> None:
    """Reports and columns, one tab for all of them: each is found damaged when it is opened."""
    cache, answers = kept
    chance = random.Random(damage.__name__)
    copy = tmp_path / "cache"
    shutil.copytree(cache, copy)
    for path in files_of(copy):
        content = path.read_bytes()
        path.write_bytes(damage(content, chance.randrange(len(content))))
    with open_tab(logdir, copy) as tab:
        assert answers_of(tab) == answers


def test_each_file_of_a_timeline_damaged_alone_is_noticed(
    logdir: Path, kept: tuple[Path, Mapping[str, Any]], tmp_path: Path
) -> None:
    [store] = (kept[0] / "timelines").iterdir()
    chance = random.Random(7)
    copy = tmp_path / "store"
    shutil.copytree(store, copy)
    for path in files_of(copy):
        content = path.read_bytes()
        for damage in (cut, flip, noise):
            damaged = damage(content, chance.randrange(len(content)))
            path.write_bytes(damaged)
            with pytest.raises(DamagedStore):
                open_store(copy)
        path.write_bytes(content)
    open_store(copy)


def remove_all(cache: Path) -> None:
    shutil.rmtree(cache)


def remove_reports(cache: Path) -> None:
    shutil.rmtree(cache / "reports")


def remove_timelines(cache: Path) -> None:
    shutil.rmtree(cache / "timelines")


def file_instead_of_directory(cache: Path) -> None:
    shutil.rmtree(cache / "reports")
    (cache / "reports").write_text("not a directory")


def directories_instead_of_files(cache: Path) -> None:
    for path in list((cache / "reports").iterdir()):
        path.unlink()
        path.mkdir()


def links_to_nowhere(cache: Path) -> None:
    for path in files_of(cache):
        path.unlink()
        path.symlink_to("nowhere")


@pytest.mark.parametrize(
    "strike",
    [
        remove_all,
        remove_reports,
        remove_timelines,
        file_instead_of_directory,
        directories_instead_of_files,
        links_to_nowhere,
    ],
)
@pytest.mark.parametrize("running", [True, False])
def test_what_is_taken_away_is_made_anew(
    logdir: Path,
    kept: tuple[Path, Mapping[str, Any]],
    tmp_path: Path,
    strike: Callable[[Path], None],
    running: bool,
) -> None:
    """While TensorBoard runs, and before it starts."""
    cache, answers = kept
    copy = tmp_path / "cache"
    shutil.copytree(cache, copy)
    if running:
        with open_tab(logdir, copy) as tab:
            assert answers_of(tab) == answers
            strike(copy)
            assert answers_of(tab) == answers
    else:
        strike(copy)
    with open_tab(logdir, copy) as tab:
        assert answers_of(tab) == answers


def to_nothing(path: Path) -> None:
    os.truncate(path, 0)


def by_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def by_a_byte(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def overwritten(path: Path) -> None:
    """In place, with as many other bytes: whoever has the file mapped sees them."""
    with open(path, "r+b") as file:
        file.write(random.Random(3).randbytes(path.stat().st_size))


OF_A_TIMELINE = (
    "timeline?file={}",
    "timeline/window?file={}&from=-1000000&to=3000000&px=800",
    "timeline/in_view?file={}&from=-1000000&to=3000000",
    "event?file={}&event=3",
    "event/args?file={}&event=4",
    "search?file={}&q=gemm",
)


def told(server: Server, address: str) -> Any:
    """What the server says once it is no longer queued or working: JSON, or the bytes of a window."""

    def ask() -> Any:
        reply = server.plugin(address)
        return reply.json if reply.headers["Content-Type"].startswith(JSON) else reply.body

    return until(ask, lambda found: isinstance(found, bytes) or found["state"] not in ("queued", "working"))


@pytest.mark.parametrize("strike", [to_nothing, by_half, by_a_byte, overwritten])
def test_a_timeline_in_use_outlives_its_files(
    logdir: Path, tmp_path: Path, strike: Callable[[Path], None]
) -> None:
    """A file that is cut while it is mapped ends whoever reads on: no question may come to that."""
    cache = tmp_path / "cache"
    with serving(tmp_path, "--logdir", logdir, "--explain_cache_dir", cache) as server:
        [file] = server.files().values()
        questions = [route.format(file) for route in OF_A_TIMELINE]
        right = [told(server, question) for question in questions]
        [store] = (cache / "timelines").iterdir()
        for name in sorted(path.name for path in store.iterdir()):
            for question, answer in zip(questions, right, strict=True):
                strike(store / name)
                assert told(server, question) == answer, (name, question)
        assert server.process.poll() is None


_STRESS = """
import random, sys
from pathlib import Path
from tb_plugin_explain.plugin import room
from tb_plugin_explain.plugin.cache import Cache
from tb_plugin_explain.plugin.stores import Stores
from tb_plugin_explain.timeline.store import DamagedStore, open_store
from tests.faults.cache_tabs import keep_something
root, chance = Path(sys.argv[1]), random.Random(sys.argv[2])
for turn in range(10):
    cache, stores = Cache(root, disk_limit_bytes=60_000), Stores(root)
    for key in chance.sample([f"{n:064x}" for n in range(6)], 3):
        keep_something(cache, stores, key)
    room.make_room(root, 60_000)
print("done")
"""


def test_two_processes_fill_bound_and_read_one_cache(tmp_path: Path) -> None:
    """Reports and timelines of the same keys, with so little room that most go again at once."""
    command = [sys.executable, "-c", _STRESS, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    processes = [
        subprocess.Popen(
            [*command, name], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for name in ("a", "b")
    ]
    told = [process.communicate(timeout=60)[0] for process in processes]
    assert told == ["done\n", "done\n"]
    left = {path.name for path in [*(tmp_path / "reports").iterdir(), *(tmp_path / "timelines").iterdir()]}
    assert not {name for name in left if name.startswith("explain-unfinished")}
