"""The text of a file comes out whole, however it lies on disk."""

from __future__ import annotations

import gzip
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.trace.decompress import TextStream

TEXT = ('{"name": "größe → 大", "n": [' + ", ".join(map(str, range(50_000))) + "]}").encode()


def text_of(path: Path, piece_bytes: int = 1000) -> tuple[bytes, bool]:
    with TextStream(str(path), piece_bytes) as stream:
        pieces = []
        while piece := stream.read():
            pieces.append(piece)
        return b"".join(pieces), stream.damaged


def named_gzip(text: bytes) -> bytes:
    """A member whose header has every optional field."""
    plain = gzip.compress(text)
    fields = b"\x03\x00abc" + b"name\0" + b"comment\0" + b"\x12\x34"
    return plain[:3] + bytes([2 | 4 | 8 | 16]) + plain[4:10] + fields + plain[10:]


@pytest.mark.parametrize(
    "stored",
    [
        TEXT,
        b"\xef\xbb\xbf" + TEXT,
        b"\xff\xfe" + TEXT.decode().encode("utf-16-le"),
        b"\xfe\xff" + TEXT.decode().encode("utf-16-be"),
        gzip.compress(TEXT),
        gzip.compress(TEXT[:999]) + gzip.compress(b"") + gzip.compress(TEXT[999:]),
        gzip.compress(TEXT) + b"\0" * 100,
        named_gzip(TEXT),
        gzip.compress(b"\xff\xfe" + TEXT.decode().encode("utf-16-le")),
    ],
    ids=["plain", "bom", "utf16le", "utf16be", "gzip", "members", "padded", "header", "gzip-utf16"],
)
@pytest.mark.parametrize("piece_bytes", [7, 1 << 20])
def test_text(tmp_path: Path, stored: bytes, piece_bytes: int) -> None:
    file = tmp_path / "trace.json"
    file.write_bytes(stored)
    assert text_of(file, piece_bytes) == (TEXT, False)


def test_a_cut_gzip_file_gives_what_unpacks(tmp_path: Path) -> None:
    stored = gzip.compress(TEXT)
    file = tmp_path / "cut.gz"
    for size in [2, 9, 12, len(stored) // 2, len(stored) - 8, len(stored) - 1]:
        file.write_bytes(stored[:size])
        text, damaged = text_of(file)
        assert damaged
        assert TEXT.startswith(text)
    assert text == TEXT


@pytest.mark.parametrize("padding", [0, 5, 1 << 15])
def test_damage_far_into_a_file_gives_all_before_it_once(tmp_path: Path, padding: int) -> None:
    """What was read in large calls is not given again by the small ones."""
    stored = gzip.compress(TEXT)
    stored += bytes(padding) + stored[: len(stored) // 2]
    file = tmp_path / "second.gz"
    file.write_bytes(stored)
    for piece_bytes in (7, len(TEXT) // 3, 1 << 20):
        text, damaged = text_of(file, piece_bytes)
        assert damaged
        assert (TEXT + TEXT).startswith(text)
        assert len(text) > 1.2 * len(TEXT)


def test_many_small_members_before_damage_take_no_longer_than_their_number(tmp_path: Path) -> None:
    file = tmp_path / "members.gz"
    file.write_bytes(gzip.compress(TEXT) + gzip.compress(b"") * 60_000 + b"x")
    began = time.process_time()
    assert text_of(file)[0] == TEXT
    assert time.process_time() - began < 4


@pytest.mark.parametrize("name_bytes", [1 << 16, 600 << 10, 1 << 22])
def test_a_header_that_hardly_ends_costs_its_member_at_most(tmp_path: Path, name_bytes: int) -> None:
    """isal knows no header of more than half a megabyte."""
    header = b"\x1f\x8b\x08\x08" + bytes(5) + b"\3" + b"n" * name_bytes
    file = tmp_path / "header.gz"
    file.write_bytes(gzip.compress(TEXT) + header + b"\0" + gzip.compress(TEXT)[10:])
    text, damaged = text_of(file)
    assert text == (TEXT if damaged else TEXT + TEXT)
    assert damaged == (name_bytes > 1 << 20)
    file.write_bytes(header)
    assert text_of(file) == (b"", True)


def test_a_wrong_checksum_loses_no_text(tmp_path: Path) -> None:
    stored = bytearray(gzip.compress(TEXT))
    stored[-6] ^= 1
    file = tmp_path / "wrong.gz"
    file.write_bytes(stored)
    assert text_of(file) == (TEXT, True)


def test_a_corrupt_stream_keeps_what_came_before(tmp_path: Path) -> None:
    stored = bytearray(gzip.compress(TEXT))
    stored[len(stored) // 2 :] = b"\xff" * (len(stored) - len(stored) // 2)
    file = tmp_path / "corrupt.gz"
    file.write_bytes(stored)
    text, damaged = text_of(file)
    assert damaged
    assert TEXT.startswith(text[:1000])
    assert len(text) > 1000


def test_utf32_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_bytes(TEXT.decode().encode("utf-32"))
    with pytest.raises(TraceError) as refusal:
        text_of(file)
    assert refusal.value.kind == "unsupported_encoding"


def test_missing_file_and_directory(tmp_path: Path) -> None:
    for path, kind in [(tmp_path / "none.json", "not_found"), (tmp_path, "unreadable")]:
        with pytest.raises(TraceError) as refusal:
            text_of(path)
        assert refusal.value.kind == kind
        assert refusal.value.file == str(path)


def test_without_isal_the_standard_library_unpacks(tmp_path: Path) -> None:
    file = tmp_path / "trace.gz"
    file.write_bytes(gzip.compress(TEXT) + gzip.compress(b" "))
    program = (
        "import sys; sys.modules['isal'] = None\n"
        "from tb_plugin_explain.trace.decompress import TextStream, inflater\n"
        "stream = TextStream(sys.argv[1]); size = 0\n"
        "while piece := stream.read(): size += len(piece)\n"
        "print(inflater.__name__, size, stream.damaged)"
    )
    command = [sys.executable, "-c", program, str(file)]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert out.split() == ["zlib", str(len(TEXT) + 1), "False"]
