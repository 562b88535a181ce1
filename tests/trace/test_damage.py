"""Damaged and hostile files: whole events are kept, or one error says where it is wrong."""

from __future__ import annotations

import gzip
import json
import sys
import time
from pathlib import Path

import pytest

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.trace.reader import read_trace
from tests.trace.documents import event, names, problems, read_text

GOOD = json.dumps(event())
NOTED = (
    '{"displayTimeUnit": "ms", "deviceProperties": [{"id": 0, "name": "é"}], "traceEvents": [\n'
    + ",\n".join(json.dumps(event(name=f'n{i} \\ "é', args={"a": [[1], {"b": "},{"}]})) for i in range(3))
    + '\n], "baseTimeNanoseconds": 17}\n'
)


def document(*events: str) -> bytes:
    return b'{"traceEvents": [' + ",\n".join(events).encode() + b"]}"


@pytest.mark.parametrize("chunk_bytes", [1, 1 << 20])
def test_a_file_cut_at_any_byte(tmp_path: Path, chunk_bytes: int) -> None:
    text = NOTED.encode()
    args = [[1], {"b": "},{"}]
    shortest_readable = text.index(b"},\n{") + 1
    for size in range(1, len(text.rstrip())):
        if size < shortest_readable:
            with pytest.raises(TraceError) as refusal:
                read_text(tmp_path, text[:size], chunk_bytes=chunk_bytes)
            assert refusal.value.kind == "truncated", size
            continue
        trace = read_text(tmp_path, text[:size], chunk_bytes=chunk_bytes)
        assert [(p.kind, p.data) for p in trace.meta.problems] == [("truncated", {"byte": size})]
        assert names(trace) == [f'n{i} \\ "é' for i in range(len(trace.events))]
        assert trace.fetch_args(len(trace.events) - 1) == {"a": args}
    assert len(trace.events) == 3


def test_a_gzip_file_cut_at_any_byte(tmp_path: Path) -> None:
    stored = gzip.compress(NOTED.encode())
    file = tmp_path / "cut.json.gz"
    kinds: set[object] = set()
    for size in range(1, len(stored)):
        file.write_bytes(stored[:size])
        try:
            kinds.add(tuple(problems(read_trace(file))))
        except TraceError as error:
            kinds.add(error.kind)
    assert kinds == {"not_a_trace", "broken_gzip", "truncated", ("truncated",)}


def test_mended_names_and_their_counts(tmp_path: Path) -> None:
    events = [
        GOOD.replace('"op"', r'"D:\work\q"').encode(),
        GOOD.replace('"op"', '"a\nb"').encode(),
        GOOD.replace('"op"', '"a\nb"').encode(),
        GOOD.replace('"op"', '"x"').encode().replace(b"x", b"\xf0x"),
        GOOD.replace("10.5", "NaN").encode(),
        GOOD.replace("10.5", "0010.5").encode(),
        GOOD.replace('"dur": 2', '"dur": 2,').encode(),
        GOOD.replace('"dur": 2', '"args": {"b": N/A}').encode(),
    ]
    trace = read_text(tmp_path, b'{"traceEvents": [' + b",".join([*events, GOOD.encode()]) + b",]}")
    assert names(trace) == [r"D:\work\q", "a\nb", "a\nb", "�x", "op", "op", "op", "op"]
    assert set(trace.events.start_ns.tolist()) == {10500}
    assert problems(trace) == {
        "json_repaired": 6,
        "control_chars_in_name": 1,
        "invalid_utf8": 1,
        "malformed_events_skipped": 1,
    }
    assert trace.fetch_args(6) == {"b": "N/A"}


def test_entries_that_are_no_events(tmp_path: Path) -> None:
    entries = ["{}", "null", '"text"', "[1, [2]]", "7", '{"ph": "X", "name": "no ts"}']
    trace = read_text(tmp_path, document(*entries, GOOD))
    assert trace.events.ordinal.tolist() == [6]
    assert problems(trace) == {"malformed_events_skipped": 6}


def test_an_unreadable_event_among_many_is_skipped(tmp_path: Path) -> None:
    events = [GOOD.replace("op", f"op{i}") for i in range(300)]
    events[150] = GOOD.replace('"op"', '"unescaped "quotes" inside"')
    trace = read_text(tmp_path, document(*events), chunk_bytes=1 << 10)
    assert len(trace.events) == 299
    assert 150 not in trace.events.ordinal
    assert problems(trace) == {"malformed_events_skipped": 1}
    assert trace.fetch_args(150) == {}


def test_too_many_unreadable_events_are_an_error(tmp_path: Path) -> None:
    events = [GOOD] * 10
    events[5] = '{"ph" "X"}'
    with pytest.raises(TraceError, match="line 6 column 7") as refusal:
        read_text(tmp_path, document(*events))
    assert (refusal.value.kind, refusal.value.position) == ("invalid_json", "line 6 column 7")


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_nesting_in_arguments(tmp_path: Path, opening: str) -> None:
    depth = 100_000
    closing = {"[": "]", '{"a":': "}"}[opening]
    deep = GOOD[:-1] + ', "args": {"correlation": 3, "x": ' + opening * depth + "1" + closing * depth + "}}"
    trace = read_text(tmp_path, document(GOOD, deep, GOOD))
    assert trace.events.correlation.tolist() == [0, 3, 0]
    assert trace.fetch_args(1)["correlation"] == 3
    # From Python 3.14 on decoders go as deep as the stack allows, and may skip over it as it stands.
    assert problems(trace) in (
        [{"json_repaired": 1}] if sys.version_info < (3, 14) else [{"json_repaired": 1}, {}]
    )


def test_three_thousand_nested_operators(tmp_path: Path) -> None:
    step = json.dumps(event(cat="user_annotation", name="ProfilerStep#0", ts=0, dur=100000))
    nested = [json.dumps(event(ts=10 + i, dur=90000 - 2 * i)) for i in range(3000)]
    assert len(read_text(tmp_path, document(step, *nested)).events) == 3001


MIB = 1 << 20


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (b'"' + b"a" * 50 * MIB + b'"', {"not_a_trace"}),
        (b'{"traceEvents": [{"name": "' + b"a" * 50 * MIB + b'"}]}', {"invalid_json"}),
        (b"[" * 50 * MIB, {"not_a_trace"}),
        (b'{"traceEvents": ' + b"[" * 50 * MIB, {"too_deep"}),
        (b'{"a":' * 10 * MIB, {"too_deep"}),
        (b'{"traceEvents": [' + b'{"a":' * 10 * MIB, {"too_deep"}),
        (b'{"traceEvents": [' + b'},{"' * MIB, {"invalid_json"}),
        (b'{"traceEvents": [' + GOOD.encode() + b"," * 20 * MIB, {"invalid_json"}),
        (
            b'{"traceEvents": [' + GOOD.encode() + b',{"ph": "X", "ts": 1, "args": [' + b'{"a":1},' * 5 * MIB,
            {"invalid_json"},
        ),
    ],
    ids=["string", "name", "brackets", "events", "objects", "entries", "pieces", "commas", "giant"],
)
def test_hostile_text_ends_soon(tmp_path: Path, text: bytes, kinds: set[str]) -> None:
    began = time.process_time()
    with pytest.raises(TraceError) as refusal:
        read_text(tmp_path, text)
    assert refusal.value.kind in kinds
    assert time.process_time() - began < 20


def test_a_gzip_bomb_takes_no_memory_of_its_size(tmp_path: Path) -> None:
    file = tmp_path / "bomb.gz"
    file.write_bytes(gzip.compress(b'{"x": "' + b"a" * 200 * MIB + b'", "traceEvents": []}'))
    assert file.stat().st_size < MIB
    assert len(read_trace(file).events) == 0
