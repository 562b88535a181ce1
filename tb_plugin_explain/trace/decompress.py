"""The text of a trace file as UTF-8, in pieces: gzip by its magic bytes, BOMs by theirs.

What bounds a gzip bomb: text is inflated on demand and handed on about ``piece_bytes`` at a
time, so that only what a reader keeps of it takes memory.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from types import TracebackType
from typing import BinaryIO, Self

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.trace.read_ahead import ReadAhead

try:
    from isal import isal_zlib as inflater
    from isal.igzip import IGzipFile as GzipFile
except ImportError:
    import zlib as inflater  # type: ignore[no-redef]
    from gzip import GzipFile  # type: ignore[assignment]

PIECE_BYTES = 1 << 18
_INPUT_BYTES = 1 << 14
# An error inside a damaged stream loses the output of its call, so calls there are small.
_OUTPUT_BYTES = 1 << 14
_DAMAGE: tuple[type[Exception], ...] = (
    EOFError,
    OverflowError,  # isal’s of a header longer than its buffer
    gzip.BadGzipFile,
    zlib.error,
    inflater.error,  # type: ignore[assignment]  # wrong stub of isal
)
# Smaller ones are read before a thread has begun.
_SMALLEST_AHEAD_BYTES = 1 << 18
_GZIP_MAGIC = b"\x1f\x8b"
_RAW_DEFLATE = -15
_TRAILER_BYTES = 8
# Names and comments in it have no other end than a zero.
_LONGEST_HEADER_BYTES = 1 << 20
_FLAG_HEADER_CRC, _FLAG_EXTRA, _FLAG_NAME, _FLAG_COMMENT = 2, 4, 8, 16


class TextStream:
    """The decoded text of one file, read once from its start.

    ``damaged`` is true once the file turned out to be gzip that breaks off or is corrupt; what
    unpacked before is handed out all the same. Raises TraceError if the file cannot be read.
    ``ahead``: a large file is unpacked in a thread of its own, ahead of what was asked for.
    """

    def __init__(self, path: str, piece_bytes: int = PIECE_BYTES, *, ahead: bool = False) -> None:
        self.path = path
        self.damaged = False
        self._piece_bytes = piece_bytes
        self._share_read = 0.0
        try:
            # A pipe without a writer would block the opening for ever.
            self._file: BinaryIO = open(path, "rb", opener=_open_at_once)  # noqa: SIM115 - closed by __exit__
        except FileNotFoundError:
            raise TraceError("not_found", f"{path}: there is no such file.", file=path) from None
        except OSError as error:
            raise _unreadable(path, error) from None
        self.status = os.fstat(self._file.fileno())
        if not stat.S_ISREG(self.status.st_mode):
            self._file.close()
            raise TraceError("unreadable", f"{path}: is no ordinary file; save the trace to one.", file=path)
        try:
            self._pieces: Iterator[bytes] = self._text()
        except OSError as error:
            self._file.close()
            raise _unreadable(path, error) from None
        self._ahead: ReadAhead | None = None
        if ahead and self.status.st_size >= _SMALLEST_AHEAD_BYTES:
            # Without a thread the text is unpacked all the same, as it is asked for.
            with contextlib.suppress(RuntimeError):
                self._pieces = self._ahead = ReadAhead(self._pieces)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ahead:
            self._ahead.close()
        self._file.close()

    def read(self) -> bytes:
        """The next piece of text, empty at the end."""
        try:
            return next(filter(None, self._pieces), b"")
        except OSError as error:
            raise _unreadable(self.path, error) from None

    @property
    def share_read(self) -> float:
        """How much of the file, as it lies on disk, was read: 0 to 1."""
        share = min(1.0, self._file.tell() / max(1, self.status.st_size))
        # After damage the file is read once more from its start.
        self._share_read = max(self._share_read, share)
        return self._share_read

    @property
    def share_given(self) -> float:
        """How much of the file is at least in what was given: what was read last may still be unpacked."""
        return max(0.0, self.share_read - _INPUT_BYTES / max(1, self.status.st_size))

    def _text(self) -> Iterator[bytes]:
        head = self._file.read(2)
        self._file.seek(0)
        stored = self._inflate() if head == _GZIP_MAGIC else self._plain()
        return _decode(stored, self.path)

    def _plain(self) -> Iterator[bytes]:
        while piece := self._file.read(self._piece_bytes):
            yield piece

    def _inflate(self) -> Iterator[bytes]:
        """In large calls as long as all is well; from the first damage on whatever small ones still give."""
        given_bytes = 0
        try:
            with GzipFile(fileobj=_Portions(self._file), mode="rb") as stream:  # type: ignore[no-untyped-call]
                while piece := stream.read(self._piece_bytes):
                    given_bytes += len(piece)
                    yield piece
        except _DAMAGE:
            self._file.seek(0)
            yield from _after(given_bytes, self._members())

    def _members(self) -> Iterator[bytes]:
        """The text of every gzip member; anything but padding after a whole member is ignored."""
        rest = b""
        while True:
            rest = self._without_padding(rest)
            if not rest.startswith(_GZIP_MAGIC):
                return
            while (body := _skip_gzip_header(rest)) is None:
                more = self._file.read(_INPUT_BYTES)
                if not more or len(rest) > _LONGEST_HEADER_BYTES:
                    self.damaged = True
                    return
                rest += more
            member = _Member(self._file)
            yield from member.inflate(rest[body:])
            if member.damaged:
                self.damaged = True
                return
            rest = member.rest

    def _without_padding(self, rest: bytes) -> bytes:
        """What follows, after the zeros that may stand between members."""
        rest = rest.lstrip(b"\0")
        while len(rest) < len(_GZIP_MAGIC) and (more := self._file.read(_INPUT_BYTES)):
            rest = (rest + more).lstrip(b"\0")
        return rest


class _Portions(io.RawIOBase):
    """A file that gives little at a time: else a small one counts as read long before it is unpacked."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        return self._file.read(_INPUT_BYTES if size < 0 else min(size, _INPUT_BYTES))

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        return self._file.readinto(memoryview(buffer)[:_INPUT_BYTES])  # type: ignore[attr-defined, no-any-return]


class _Member:
    """One gzip member after its header: inflated raw, so that a wrong trailer loses no text."""

    def __init__(self, file: BinaryIO) -> None:
        self.damaged = False
        self.rest = b""
        self._file = file

    def inflate(self, data: bytes) -> Iterator[bytes]:
        engine = inflater.decompressobj(_RAW_DEFLATE)
        checksum = length = 0
        while not engine.eof:
            data = data or self._file.read(_INPUT_BYTES)
            try:
                part = engine.decompress(data, _OUTPUT_BYTES)
            except _DAMAGE:
                self.damaged = True
                return
            if not data and not part:
                self.damaged = True
                return
            data = engine.unconsumed_tail
            checksum = inflater.crc32(part, checksum)
            length += len(part)
            yield part
        self._check_trailer(engine.unused_data or data, checksum, length)

    def _check_trailer(self, data: bytes, checksum: int, length: int) -> None:
        while len(data) < _TRAILER_BYTES and (more := self._file.read(_INPUT_BYTES)):
            data += more
        trailer = checksum.to_bytes(4, "little") + (length & 0xFFFFFFFF).to_bytes(4, "little")
        self.damaged = data[:_TRAILER_BYTES] != trailer
        self.rest = data[_TRAILER_BYTES:]


def _after(given_bytes: int, parts: Iterator[bytes]) -> Iterator[bytes]:
    """The parts of a text without its first bytes."""
    for part in parts:
        yield part[given_bytes:]
        given_bytes = max(0, given_bytes - len(part))


def _skip_gzip_header(data: bytes) -> int | None:
    """Where the deflate stream begins (RFC 1952), or None if the header is not whole yet."""
    position = 10
    if len(data) < position:
        return None
    flags = data[3]
    if flags & _FLAG_EXTRA:
        position += 2 + int.from_bytes(data[position : position + 2], "little")
    for flag in (_FLAG_NAME, _FLAG_COMMENT):
        if flags & flag:
            end = data.find(b"\0", position)
            if end < 0:
                return None
            position = end + 1
    if flags & _FLAG_HEADER_CRC:
        position += 2
    return position if position <= len(data) else None


def _decode(pieces: Iterator[bytes], path: str) -> Iterator[bytes]:
    """Drop a UTF-8 BOM; turn UTF-16 with a BOM into UTF-8."""
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= 4:
            break
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        raise TraceError("unsupported_encoding", f"{path}: text in UTF-32; save it as UTF-8.", file=path)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        yield from _utf16_to_utf8(head, pieces)
        return
    if head := head.removeprefix(codecs.BOM_UTF8):
        yield head
    yield from pieces


def _utf16_to_utf8(head: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
    yield decoder.decode(head).encode()
    for piece in pieces:
        yield decoder.decode(piece).encode()
    yield decoder.decode(b"", final=True).encode()


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _unreadable(path: str, error: OSError) -> TraceError:
    why = error.strerror or str(error)
    return TraceError("unreadable", f"{path}: cannot be read ({why}).", file=path)
