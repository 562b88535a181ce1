"""TensorBoard starts on a free port, says where it is, and ends with us."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tb_plugin_explain.demo import HOST, answers, next_free_port, serve, write_samples
from tb_plugin_explain.errors import UsageError


def test_samples_are_written_beside_what_is_there(tmp_path: Path, samples: Path) -> None:
    own = tmp_path / "mine" / "worker0.1.pt.trace.json"
    own.parent.mkdir()
    own.write_text("[]")
    for _again in range(2):
        assert write_samples(tmp_path) == tmp_path
    assert {path.name for path in tmp_path.iterdir()} == {
        "mine",
        *(path.name for path in samples.iterdir() if path.is_dir()),
    }
    assert own.read_text() == "[]"


def test_the_last_sample_by_name_is_the_newest(tmp_path: Path) -> None:
    files = sorted(write_samples(tmp_path).glob("*/*"))
    assert sorted(files, key=lambda file: file.stat().st_mtime) == files
    assert files[-1].parent.name == "tutorial_64_cold"


def test_a_directory_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(
        UsageError, match=r"cannot be written into .*file: Not a directory\. Name a new or empty directory\.$"
    ):
        write_samples(file)


def test_a_missing_log_directory_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no directory .*nowhere"):
        serve(tmp_path / "nowhere")


def test_a_taken_port_gives_way_to_the_next_free_one() -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        assert port < next_free_port(port) < port + 100


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_what_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(UsageError, match="is no port"):
        next_free_port(port)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_its_address_and_ends_cleanly(tmp_path: Path, ending: signal.Signals) -> None:
    write_samples(tmp_path)
    command = [sys.executable, "-m", "tb_plugin_explain.demo", str(tmp_path), "--port", "16006"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as demo:
        try:
            port = port_told_by(demo)
            assert answers(port)
            demo.send_signal(ending)
            assert demo.wait(60) == 0
        finally:
            demo.terminate()
    assert not answers(port)


def port_told_by(demo: subprocess.Popen[str]) -> int:
    """The port in the address that the demo prints when it is up."""
    said = []
    for line in demo.stdout or ():
        said.append(line)
        if found := re.search(rf"http://{HOST}:(\d+)/#explain$", line.strip()):
            return int(found[1])
    raise AssertionError("".join(said))
