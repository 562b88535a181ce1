"""The scanner in C and the Python engine make the same of every file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tb_plugin_explain.trace import reader
from tb_plugin_explain.trace.columns import Columns
from tb_plugin_explain.trace.engine import default_engine
from tb_plugin_explain.trace.native import NativeScanner
from tb_plugin_explain.trace.reader import read_trace
from tests.trace.documents import event
from tests.trace.engines import first_difference, outcome

CASES = sorted(
    file
    for file in (Path(__file__).parent.parent / "samples").rglob("*")
    if file.is_file() and not file.name.endswith(".expected.json")
)
QUICK_BYTES = 400_000

pytestmark = pytest.mark.skipif(default_engine() != "c", reason="the scanner in C was not built")


def assert_same(file: Path, **options: Any) -> None:
    assert not first_difference(outcome(file, "c", **options), outcome(file, "msgspec", **options)), file.name


def test_every_real_trace(shared_traces: Path) -> None:
    files = [file for file in sorted(shared_traces.glob("*.json.gz")) if file.stat().st_size <= QUICK_BYTES]
    assert files
    for file in files:
        assert_same(file)


class Counting(NativeScanner):
    """How many entries the scanner in C took of the last file that was read."""

    entries = 0

    def __init__(self, columns: Columns) -> None:
        super().__init__(columns)
        Counting.entries = 0

    def scan(self, text: bytearray) -> tuple[int, bool]:
        before = self._columns.entries
        found = super().scan(text)
        Counting.entries += self._columns.entries - before
        return found


@pytest.mark.parametrize("run", ["mlp_eager", "mlp_compiled"])
def test_c_takes_nearly_all_of_a_plain_file(samples: Path, run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the engines would be alike since only one of them reads."""
    monkeypatch.setattr(reader, "NativeScanner", Counting)
    [file] = (samples / run).glob("*.json*")
    read_trace(file, engine="c")
    text = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    assert Counting.entries >= 0.95 * len(json.loads(text)["traceEvents"])


@pytest.mark.parametrize("file", CASES, ids=[file.name for file in CASES])
@pytest.mark.parametrize("chunk_bytes", [1, 1 << 20])
def test_every_case(file: Path, chunk_bytes: int) -> None:
    assert_same(file, chunk_bytes=chunk_bytes)


KERNEL_ARGS = {
    "correlation": 7,
    "External id": 3,
    "device": 0,
    "stream": 7,
    "grid": [1, 2, 3],
    "block": [128, 1, 1],
    "est. achieved occupancy %": 37.5,
    "Collective name": "allreduce",
    "dtype": "Half",
    "In msg nelems": 12,
    "Out msg nelems": 24,
}
MEMORY_ARGS = {"Addr": 139637976727552, "Bytes": -512, "Total Allocated": 1, "Device Type": 1, "Device Id": 0}
EVERY_KIND: list[Any] = [
    event(
        args={"External id": 4, "Input Dims": [[2, 3], []], "Sequence number": 9, "Concrete Inputs": ["é"]}
    ),
    event(cat="kernel", name="k<\\int>", pid=0, tid=7, args=KERNEL_ARGS),
    event(cat="gpu_memcpy", args={"device": 1, "stream": "s", "bytes": "64"}),
    event(cat="cuda_runtime", args={"correlation": 7}),
    event(ph="i", cat="cpu_instant_event", name="[memory]", args=MEMORY_ARGS),
    event(ph="M", name="thread_name", args={"name": "main"}),
    event(ph="B"),
    event(ph="E", ts=20),
    event(ph="s", id=7, cat="ac2g"),
    {"ph": "X", "name": "no category", "pid": "CUDA functions", "tid": "stream 7", "ts": 1, "dur": 2},
    {"ph": "X", "cat": "mtia_ccp_events", "name": "dma_request", "pid": "GPU 3", "tid": 2**64 - 1, "ts": 1},
]
SMALL = json.dumps({"schemaVersion": 1, "traceEvents": EVERY_KIND * 2, "with_stack": 1}).encode()
BROKEN_OFF = json.dumps({"schemaVersion": 1, "traceEvents": EVERY_KIND * 2}).encode().removesuffix(b"]}")


def test_text_in_pieces_of_any_size(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_bytes(SMALL)
    whole = outcome(file, "msgspec")
    for chunk_bytes in [*range(1, 300), *range(300, len(SMALL), 97)]:
        assert not first_difference(outcome(file, "c", chunk_bytes=chunk_bytes), whole), chunk_bytes


LONG = "1." + 400 * "0"
FIRST_NAME = r'{"ph": "M", "name": "thread_nam\u0065", "pid": 1, "tid": 2, "args": {"name": "first"}}'
SECOND_NAME = '{"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "second"}}'
ROW = '{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 1, "dur": 2}'


@pytest.mark.parametrize(
    "entries",
    [[ROW.replace('"ts": 1', f'"ts": {LONG}'), ROW, ROW], [FIRST_NAME, SECOND_NAME, ROW, ROW]],
    ids=["a time of 400 digits", "a key spelt with an escape"],
)
def test_what_was_read_differently_once(tmp_path: Path, entries: list[str]) -> None:
    file = tmp_path / "trace.json"
    file.write_text(f'{{"traceEvents": [{", ".join(entries)}]}}')
    assert_same(file)


ODD_TEXTS = st.sampled_from(
    [
        *("null", "true", "[]", "{}", "[1]", '{"a": 1}', '""', '"x"', '"7"', '" 7 "', '"7.0"', '"1e3"'),
        *(
            "0",
            "-0",
            "-1",
            "7.0",
            "7.5",
            "1e3",
            "1E400",
            "-1e-400",
            "0.0005",
            "0.0015",
            "1.2345678",
            "007",
            "1.",
        ),
        *(
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551616",
            "1" * 30,
            "9" * 400,
            "2147483648",
        ),
        *(
            "3000000000000000",
            "3000000000000000.001",
            "-3000000000000000.5",
            "4398046511104.0005",
            "NaN",
            "N/A",
        ),
        *(r'"\u00e9"', r'"\ud83d\ude00"', r'"\ud83d"', r'"\q"', '"\t"', '"é"', '"},{"', r'"\\"', r'"\""'),
        "[" * 70 + "]" * 70,
        "[" * 150 + "]" * 150,
    ]
)
FIELD_NAMES = ["ph", "cat", "name", "pid", "tid", "ts", "dur", "id", "args", r"n\u0061me", ""]
ARGUMENT_NAMES = [
    *KERNEL_ARGS,
    *MEMORY_ARGS,
    *(
        "external id",
        "fromDevice",
        "inDevice",
        "bytes",
        "size",
        "sycl queue",
        "queue",
        "l0 queue",
        "hsa_queue",
    ),
    *("name", "Sequence number", "Input Dims", "Input dims", "Total Reserved", r"gr\u0069d", "other"),
]


# So many that some entries may be lost before a file is refused.
PLAIN = b",".join([json.dumps(event()).encode()] * 300)


def members(names: list[str], values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Objects with some of these names, also the same ones twice."""
    pairs = st.tuples(st.sampled_from(names), values).map(lambda pair: f'"{pair[0]}": {pair[1]}')
    return st.lists(pairs, max_size=5).map(", ".join)


KINDS = st.sampled_from(
    [
        '"ph": "X", "cat": "kernel", "ts": 5, "dur": 2.5',
        '"ph": "X", "cat": "cpu_op", "ts": 5.001',
        '"ph": "X", "cat": "Memcpy", "ts": 5',
        '"ph": "i", "cat": "cpu_instant_event", "ts": 7',
        '"ph": "B", "cat": "cpu_op", "ts": 1',
        '"ph": "E", "ts": 3',
        '"ph": "X", "ts": 3',
    ]
)
ODD_EVENTS = st.tuples(
    KINDS, members(FIELD_NAMES, ODD_TEXTS), members(ARGUMENT_NAMES, ODD_TEXTS | st.integers().map(str))
).map(lambda parts: f'{{{parts[0]}, "args": {{{parts[2]}}}{parts[1] and ", " + parts[1]}}}')


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
@given(
    entries=st.lists(
        ODD_EVENTS | ODD_TEXTS | st.sampled_from([json.dumps(e) for e in EVERY_KIND]), max_size=8
    ),
    between=st.sampled_from([",", ", ", " ,\n", ",\r\n\t", ",,", ""]),
    chunk_bytes=st.sampled_from([1, 100, 1 << 20]),
)
def test_odd_events(tmp_path: Path, entries: list[str], between: str, chunk_bytes: int) -> None:
    file = tmp_path / "trace.json"
    file.write_text('{"traceEvents": [' + between.join(entries) + "," + PLAIN.decode() + "]}")
    assert_same(file, chunk_bytes=chunk_bytes)


EDITS = st.lists(
    st.tuples(
        st.integers(0, len(BROKEN_OFF) - 1),
        st.integers(0, 12),
        st.binary(max_size=3) | ODD_TEXTS.map(str.encode),
    ),
    max_size=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=200)
@given(edits=EDITS, chunk_bytes=st.sampled_from([1, 700, 1 << 20]))
def test_damaged_text(tmp_path: Path, edits: list[tuple[int, int, bytes]], chunk_bytes: int) -> None:
    text = BROKEN_OFF
    for place, dropped, inserted in edits:
        text = text[:place] + inserted + text[place + dropped :]
    file = tmp_path / "trace.json"
    file.write_bytes(text + b"," + PLAIN + b"]}")
    assert_same(file, chunk_bytes=chunk_bytes)
