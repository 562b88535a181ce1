"""Rows, and their tables of names, lanes and streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict

from tb_plugin_explain.trace.model import Category, Lane, Stream
from tests.trace.documents import event, names, problems, read_events


def gpu(**fields: Any) -> dict[str, Any]:
    return event(**{"cat": "kernel", "pid": 0, "tid": 7, **fields})


def test_one_row(tmp_path: Path) -> None:
    args = {"External id": 5, "correlation": 9, "device": 1, "stream": 7, "bytes": 64}
    trace = read_events(tmp_path, event(cat="gpu_memcpy", name="copy", args=args))
    columns = {name: column.tolist() for name, column in asdict(trace.events).items()}
    assert columns == {
        "start_ns": [10500],
        "duration_ns": [2000],
        "name": [0],
        "category": [int(Category.MEMCPY)],
        "process": [0],
        "lane": [0],
        "correlation": [9],
        "external_id": [5],
        "device": [1],
        "stream": [0],
        "size_bytes": [64],
        "collective": [False],
        "ordinal": [0],
    }
    assert (trace.names, trace.processes) == (("copy",), ("1",))
    assert (trace.lanes, trace.streams) == ((Lane("1", "2"),), (Stream(1, "7"),))


def test_numbers_and_their_texts_are_one_lane(tmp_path: Path) -> None:
    lanes = [(1, 2), ("1", "2"), (1.0, 2), (1, 15514734831341844875), ("", ""), (None, None)]
    trace = read_events(tmp_path, *(event(pid=pid, tid=tid) for pid, tid in lanes))
    assert trace.lanes == (Lane("1", "2"), Lane("1", "15514734831341844875"), Lane("", ""))
    assert trace.events.lane.tolist() == [0, 0, 0, 1, 2, 2]
    assert trace.processes == ("1", "")


def test_odd_types_spoil_no_row(tmp_path: Path) -> None:
    odd: list[Any] = [None, [1], {"a": 1}, "x", 1.5, True, 10**30]
    rows = [
        gpu(
            name=v,
            pid=v,
            tid=v,
            args={"correlation": v, "stream": v, "device": v, "bytes": v, "External id": v},
        )
        for v in odd
    ]
    trace = read_events(tmp_path, *rows, *(event(args=v) for v in odd), event(cat=[1]))
    assert len(trace.events) == 2 * len(odd) + 1
    assert problems(trace) == {}
    assert trace.events.correlation.tolist() == [0] * (2 * len(odd) + 1)


@pytest.mark.parametrize(
    ("fields", "device", "stream"),
    [
        ({"pid": 3, "args": {"device": 1, "stream": 7}}, 1, "7"),
        ({"pid": 3, "args": {"device": "1", "stream": "7"}}, 1, "7"),
        ({"pid": 3}, 3, "7"),
        ({"pid": "3"}, 3, "7"),
        ({"pid": "GPU 4"}, 4, "7"),
        ({"pid": "CUDA functions"}, 0, "7"),
        ({"cat": "gpu_memcpy", "args": {"fromDevice": 2, "inDevice": 5, "toDevice": 3}}, 2, "7"),
        ({"args": {"device": 0, "sycl queue": 64, "l0 queue": "0x1"}}, 0, "64"),
        ({"args": {"device": 0, "stream": 0, "hsa_queue": 9}}, 0, "0"),
        ({"tid": "stream 7"}, 0, "stream 7"),
    ],
)
def test_device_and_stream(tmp_path: Path, fields: dict[str, Any], device: int, stream: str) -> None:
    trace = read_events(tmp_path, gpu(**fields))
    assert trace.events.device.tolist() == [device]
    assert trace.streams == (Stream(device, stream),)


def test_cpu_rows_have_no_device_stream_or_bytes(tmp_path: Path) -> None:
    args = {"device": 1, "stream": 7, "bytes": 64, "correlation": -1}
    trace = read_events(tmp_path, event(cat="cuda_runtime", args=args), gpu(args=args))
    assert trace.events.device.tolist() == [-1, 1]
    assert trace.events.stream.tolist() == [-1, 0]
    assert trace.events.size_bytes.tolist() == [-1, -1]
    assert trace.events.correlation.tolist() == [0, 0]


def test_external_id_in_both_spellings(tmp_path: Path) -> None:
    args = [{"External id": 4}, {"external id": 5}, {}]
    trace = read_events(tmp_path, *(event(args=a) for a in args))
    assert trace.events.external_id.tolist() == [4, 5, -1]


def test_collective(tmp_path: Path) -> None:
    trace = read_events(tmp_path, gpu(args={"Collective name": "allreduce"}), gpu(args={}))
    assert trace.events.collective.tolist() == [True, False]


def test_what_is_no_row_still_counts_as_entry(tmp_path: Path) -> None:
    flow = {"ph": "s", "id": 1, "pid": 1, "tid": 2, "ts": 1, "cat": "ac2g", "name": "ac2g"}
    mark = {"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 3}
    memory = {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 2, "ts": 4}
    trace = read_events(tmp_path, flow, event(name="a"), mark, memory, event(name="b"))
    assert names(trace) == ["a", "[memory]", "b"]
    assert trace.events.ordinal.tolist() == [1, 3, 4]
    assert trace.events.duration_ns.tolist() == [2000, 0, 2000]
    assert trace.meta.events_in_file == 5


def test_pairs_of_begin_and_end(tmp_path: Path) -> None:
    def edge(phase: str, ts: float, name: str = "", tid: int = 1) -> dict[str, Any]:
        return {"ph": phase, "cat": "cpu_op", "name": name, "pid": 1, "tid": tid, "ts": ts}

    trace = read_events(
        tmp_path,
        edge("B", 1, "outer"),
        event(name="between"),
        edge("B", 2, "inner"),
        edge("B", 2.5, "other thread", tid=2),
        edge("E", 3),
        edge("E", 4, tid=2),
        edge("E", 6),
        edge("E", 7),
        edge("B", 8, "never ends"),
    )
    assert names(trace) == ["outer", "between", "inner", "other thread"]
    assert trace.events.ordinal.tolist() == [0, 1, 2, 3]
    assert trace.events.start_ns.tolist() == [1000, 10500, 2000, 2500]
    assert trace.events.duration_ns.tolist() == [5000, 2000, 1000, 1500]
    assert problems(trace) == {"malformed_events_skipped": 2}


@pytest.mark.parametrize(
    ("spoken", "kept"),
    [
        (["thread 1 (python3)", "thread 1 (pt_autograd_0)"], "thread 1 (pt_autograd_0)"),
        (["pt_autograd_0", "python3"], "pt_autograd_0"),
        (["stream 7 "], "stream 7"),
        (["", "python"], "python"),
        ([None, 3], None),
    ],
)
def test_the_most_telling_thread_name_is_kept(tmp_path: Path, spoken: list[object], kept: str | None) -> None:
    metadata = [
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": "2", "args": {"name": name}} for name in spoken
    ]
    assert read_events(tmp_path, event(), *metadata).lanes == (Lane("1", "2", kept),)


def test_times_that_cannot_be_told_make_an_event_malformed(tmp_path: Path) -> None:
    bad = [None, "inf", "", [1], True, 1e300, 2**63]
    trace = read_events(tmp_path, *(event(ts=ts) for ts in bad), event(ts=9e15, dur=9e15), event(dur=None))
    assert len(trace.events) == 0
    assert problems(trace) == {"malformed_events_skipped": len(bad) + 2}


def test_string_times(tmp_path: Path) -> None:
    trace = read_events(tmp_path, event(ts="1682725898236567.123", dur="0.5"), event())
    assert trace.events.start_ns.tolist() == [1682725898236567123, 10500]
    assert trace.events.duration_ns.tolist() == [500, 2000]
    assert problems(trace) == {"string_timestamps": 1}
