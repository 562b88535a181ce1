"""Pieces that a thread makes ahead: the same ones, the same errors, and nothing left behind."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tb_plugin_explain.trace import decompress
from tb_plugin_explain.trace.decompress import TextStream
from tb_plugin_explain.trace.read_ahead import ReadAhead

PIECES = [b"%d" % i for i in range(50)]


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "read-ahead"]


def test_all_pieces_in_their_order() -> None:
    ahead = ReadAhead(iter(PIECES))
    assert list(ahead) == PIECES
    assert next(ahead, b"end") == b"end"
    ahead.close()
    assert not threads()


def test_an_error_comes_where_its_piece_would() -> None:
    def failing() -> Iterator[bytes]:
        yield from PIECES[:2]
        raise OSError("gone")

    ahead = ReadAhead(failing())
    assert [next(ahead), next(ahead)] == PIECES[:2]
    with pytest.raises(OSError, match="gone"):
        next(ahead)
    assert next(ahead, b"end") == b"end"
    ahead.close()


def test_closing_early_makes_few_pieces_more() -> None:
    made: list[int] = []

    def endless() -> Iterator[bytes]:
        while True:
            made.append(1)
            yield b"piece"

    ahead = ReadAhead(endless())
    next(ahead)
    ahead.close()
    assert len(made) <= 6
    assert not threads()


def test_what_was_closed_has_ended() -> None:
    ahead = ReadAhead(iter(PIECES))
    ahead.close()
    assert next(ahead, b"end") == b"end"


def test_a_thread_that_died_without_a_word_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ReadAhead, "_make", lambda self: None)
    with pytest.raises(MemoryError):
        next(ReadAhead(iter(PIECES)))


def test_without_a_thread_the_text_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_thread(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    file = tmp_path / "text"
    file.write_bytes(b"text" * 1000)
    monkeypatch.setattr(decompress, "_SMALLEST_AHEAD_BYTES", 0)
    monkeypatch.setattr(threading.Thread, "start", no_thread)
    with TextStream(str(file), ahead=True) as stream:
        assert stream.read() == file.read_bytes()


@pytest.mark.parametrize("size", [None, 5000, 3])
def test_a_file_gives_the_same_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int | None
) -> None:
    file = tmp_path / "text.gz"
    file.write_bytes(gzip.compress(b"".join(b"%d," % (i * i) for i in range(100_000)))[:size])
    read = []
    for smallest in (0, 1 << 40):
        monkeypatch.setattr(decompress, "_SMALLEST_AHEAD_BYTES", smallest)
        with TextStream(str(file), ahead=True) as stream:
            pieces = list(iter(stream.read, b""))
            read.append((b"".join(pieces), stream.damaged))
    assert read[0] == read[1]
    assert read[0][1] == (size is not None)
    assert not threads()
