"""The entries of a file and its other keys as their own text, for writing parts of it again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.trace.decompress import TextStream
from tb_plugin_explain.trace.document import NotATrace, read_document
from tb_plugin_explain.trace.entries import decode_raw
from tb_plugin_explain.trace.scan import CHUNK_BYTES, last_boundary
from tb_plugin_explain.trace.text import TextWindow
from tb_plugin_explain.trace.walker import LARGEST_ENTRY_BYTES, CannotGoOn, Damage, EntryWalker

TakeEntries = Callable[[int, Sequence[bytes]], None]

_document_decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])


class _KeepingWindow(TextWindow):
    """A window that keeps what is dropped, while ``keeping``: the text around the events."""

    def __init__(self, stream: TextStream) -> None:
        super().__init__(stream)
        self.keeping = True
        self.kept = bytearray()

    def drop(self, count: int) -> None:
        if self.keeping and len(self.kept) <= LARGEST_ENTRY_BYTES:
            self.kept += self.data[:count]
        super().drop(count)


def read_verbatim(
    path: str, take: TakeEntries, on_progress: Callable[[float], None] = lambda _share: None
) -> Mapping[str, bytes]:
    """Reads a file as ``read_trace`` does, and decodes none of it.

    take: gets the texts of the entries in batches, each with the number of its first entry in
        ``traceEvents``. Each text is valid JSON as it stands in the file, mended only where it is none;
        an entry that is lost is empty.
    Returns the texts of the other keys, in their order. Where the text around the events is damaged, only
    those that say what devices, ranks and modes the trace has.

    Raises:
        TraceError: the file is no trace, or too damaged to be read.
    """
    with TextStream(path) as stream:
        text, damage = _KeepingWindow(stream), Damage()

        def scan() -> bool:
            text.keeping = False
            walker, first = EntryWalker(text, damage), 0
            for batch in _batches(text, walker):
                take(first, batch)
                first += len(batch)
                on_progress(stream.share_read)
            text.keeping = True
            text.kept += b"]" if walker.closed else b""
            return walker.closed

        try:
            document = read_document(text, damage, scan)
        except (CannotGoOn, NotATrace) as error:
            kind = error.kind if isinstance(error, CannotGoOn) else "not_a_trace"
            raise TraceError(kind, f"{path}: {error}; record the trace again.", file=path) from None
    return _other_keys(bytes(text.kept), document.values)


def _batches(text: TextWindow, walker: EntryWalker) -> Iterator[Sequence[bytes]]:
    """Chunks of whole entries; those of a chunk that cannot be cut at once, one by one."""
    damaged_until = 0
    while True:
        text.fill(CHUNK_BYTES)
        boundary = last_boundary(text.data, CHUNK_BYTES) if text.offset >= damaged_until else None
        if boundary:
            end, following = boundary
            entries = decode_raw(b"[%b]" % bytes(text.data[:end]))
            if entries is not None:
                text.drop(following)
                yield [bytes(entry) for entry in entries]
                continue
        if text.offset >= damaged_until:
            damaged_until = text.offset + min(len(text.data), CHUNK_BYTES)
        entry = walker.next()
        if entry is None:
            return
        yield [entry]


def _other_keys(around: bytes, values: Mapping[str, object]) -> Mapping[str, bytes]:
    try:
        document = _document_decoder.decode(around.rstrip(b"\0 \t\r\n"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {key: msgspec.json.encode(value) for key, value in values.items()}
    return {key: bytes(value) for key, value in document.items() if key != "traceEvents"}
