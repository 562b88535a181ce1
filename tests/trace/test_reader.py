"""Whole files: every layout, the keys beside the events, and the small cases."""

from __future__ import annotations

import gzip
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.trace.model import Device, Trace
from tb_plugin_explain.trace.reader import read_trace
from tests.trace.documents import event, names, problems, read_events, read_text
from tests.trace.oracle import rows_of

CASES = Path(__file__).parent.parent / "samples" / "cases"

VALUES = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers(), max_size=3)
EVENTS = st.fixed_dictionaries(
    {
        "ph": st.sampled_from("XXXsfM"),
        "cat": st.sampled_from(["cpu_op", "kernel", "cuda_runtime", "gpu_memcpy", "Operator"]),
        "name": st.text() | st.sampled_from(["},{", '"ph"', "\\", "größe", "]}"]),
        "pid": st.integers(0, 3),
        "tid": st.integers(0, 2**64),
        "ts": st.integers(0, 2**43) | st.decimals(0, 2**43, places=3).map(float),
        "dur": st.integers(0, 10**6) | st.decimals(0, 10**6, places=3).map(float),
    },
    optional={
        "args": st.dictionaries(
            st.sampled_from(["x", "Input Dims", "},{"]) | st.text(),
            VALUES | st.lists(st.dictionaries(st.text(), VALUES, max_size=2), max_size=3),
            max_size=3,
        )
    },
)


def trace_rows(trace: Trace) -> list[tuple[int, int, int, str, int, str]]:
    events = trace.events
    return list(
        zip(
            events.ordinal.tolist(),
            events.start_ns.tolist(),
            events.duration_ns.tolist(),
            names(trace),
            events.category.tolist(),
            [trace.lanes[i].tid for i in events.lane.tolist()],
            strict=True,
        )
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    events=st.lists(EVENTS, max_size=12),
    keys=st.dictionaries(st.text().filter(lambda key: key != "traceEvents"), VALUES, max_size=4),
    place=st.integers(0, 4),
    indent=st.sampled_from([None, 0, 2]),
    separators=st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", " :\t")]),
    chunk_bytes=st.sampled_from([1, 64, 1 << 20]),
)
def test_every_layout_gives_the_same(
    tmp_path: Path,
    events: list[dict[str, Any]],
    keys: dict[str, Any],
    place: int,
    indent: int | None,
    separators: tuple[str, str],
    chunk_bytes: int,
) -> None:
    items = list(keys.items())
    document = dict([*items[:place], ("traceEvents", events), *items[place:]])
    text = json.dumps(document, indent=indent, separators=separators)
    trace = read_text(tmp_path, text, chunk_bytes=chunk_bytes)
    expected = rows_of(json.loads(text, parse_float=Decimal)["traceEvents"])
    assert trace_rows(trace) == [
        (
            row.ordinal,
            row.start_ns,
            row.duration_ns,
            row.name.encode("utf-8", "replace").decode(),
            row.category,
            row.tid,
        )
        for row in expected
    ]
    for row in range(len(trace.events)):
        assert trace.fetch_args(row) == events[int(trace.events.ordinal[row])].get("args", {})


def test_metadata_before_and_after_the_events(tmp_path: Path) -> None:
    before = {
        "deviceProperties": [{"id": 0, "name": "GPU A"}, {"id": 1}, "odd"],
        "record_shapes": 1,
        "with_stack": 0,
        "INFO": ["x" * 3_000_000, {"deep": [[[{}]]]}],
    }
    after = {
        "distributedInfo": {"rank": 3, "world_size": 8, "backend": "nccl", "pg_config": [{"a": 1}, {"b": 2}]},
        "baseTimeNanoseconds": 1700000000000000000,
        "cupti_version": 22,
        "cuda_runtime_version": 12040,
        "cuda_driver_version": 12090,
        "roctracer_version": 4.1,
        "profile_memory": 1,
    }
    text = json.dumps({**before, "traceEvents": [event(), event()], **after})
    meta = read_text(tmp_path, text).meta
    assert meta.devices == (Device(0, "GPU A"), Device(1, ""))
    assert (meta.record_shapes, meta.with_stack, meta.profile_memory) == (True, False, True)
    assert (meta.rank, meta.world_size, meta.backend) == (3, 8, "nccl")
    assert meta.base_time_ns == 1700000000000000000
    assert meta.versions == {
        "cupti": "22",
        "cuda_runtime": "12.4",
        "cuda_driver": "12.9",
        "roctracer": "4.1",
    }
    assert (meta.events_in_file, meta.file_bytes, meta.problems) == (2, len(text), ())
    assert meta.file == str(tmp_path / "trace.json")


@pytest.mark.parametrize(
    "odd", [None, 1, "x", [], {}, [1], {"rank": [1], "world_size": "many", "backend": 1}]
)
def test_odd_metadata_counts_as_not_told(tmp_path: Path, odd: object) -> None:
    keys = ["deviceProperties", "distributedInfo", "baseTimeNanoseconds", "with_flops", "cupti_version"]
    meta = read_events(tmp_path, event(), **dict.fromkeys(keys[:2], odd)).meta
    assert meta.devices == (() if isinstance(odd, list) else None)
    assert (meta.rank, meta.world_size, meta.backend) == (None, None, None)
    assert len(read_events(tmp_path, event(), **dict.fromkeys(keys, odd)).events) == 1


@pytest.mark.parametrize(
    ("text", "kind", "why"),
    [
        ("", "empty_file", "empty"),
        (" \n\0", "empty_file", "empty"),
        ("hello", "not_a_trace", "JSON"),
        ('"text"', "not_a_trace", "JSON"),
        ('{"a": 1}', "not_a_trace", "no traceEvents"),
        ('{"traceEvents": {"a": 1}}', "not_a_trace", "no list"),
        ('{"schema": "1", "pid": 1, "nodes": [{"id": 1}]}', "not_a_trace", "execution graph"),
        ("[[1, 2], [[3], [4]]]", "not_a_trace", "memory timeline"),
        ("[1, 2]", "not_a_trace", "no JSON of events"),
        ('[{"a": 1}, {"b": 2}]', "not_a_trace", "other things"),
        ('{"traceEvents": []} {"traceEvents": []}', "several_documents", "several"),
        ('{"traceEvents": []}\n[1]', "several_documents", "several"),
        ('{"traceEvents": []} x', "invalid_json", "line 1 column 21"),
        ('{"traceEvents": [],\n "a" 1}', "invalid_json", "line 2 column 6"),
        ('{\n "a": foo}', "invalid_json", "line 2 column 7"),
        ('{"traceEvents": [{"ph": "X", "ts": 1}', "ok", ""),
        ('{"traceEvents": [{"ph": "X", "ts": 1', "truncated", "breaks off"),
        ('{"traceEv', "truncated", "breaks off"),
    ],
)
def test_what_is_refused_and_why(tmp_path: Path, text: str, kind: str, why: str) -> None:
    if kind == "ok":
        assert len(read_text(tmp_path, text).events) == 1
        return
    with pytest.raises(TraceError, match=why) as refusal:
        read_text(tmp_path, text)
    assert refusal.value.kind == kind
    assert refusal.value.file == str(tmp_path / "trace.json")
    assert "\n" not in refusal.value.message


def test_no_events_is_no_error(tmp_path: Path) -> None:
    trace = read_text(tmp_path, '{"traceEvents": [ ]}')
    assert (len(trace.events), trace.names, trace.lanes, trace.meta.problems) == (0, (), (), ())


def test_progress_grows_to_one(tmp_path: Path) -> None:
    told: list[float] = []
    text = json.dumps({"traceEvents": [event(name=f"op{i}") for i in range(2000)]})
    read_text(tmp_path, text, on_progress=told.append, chunk_bytes=1 << 14)
    assert told == sorted(told)
    assert told[0] < 0.5
    assert told[-1] == 1.0


def test_arguments_come_from_the_file_again(tmp_path: Path) -> None:
    events = [event(args={"Input Dims": [[i, 2], []], "i": i}) for i in range(500)] + [event()]
    file = tmp_path / "trace.json.gz"
    file.write_bytes(gzip.compress(json.dumps({"traceEvents": events}).encode()))
    trace = read_trace(file, chunk_bytes=1 << 12)
    for row in (0, 1, 250, 499):
        assert trace.fetch_args(row) == events[row]["args"]
    assert trace.fetch_args(500) == {}
    file.write_bytes(gzip.compress(b'{"traceEvents": []}'))
    with pytest.raises(TraceError, match="changed"):
        trace.fetch_args(0)
    file.unlink()
    with pytest.raises(TraceError) as refusal:
        trace.fetch_args(0)
    assert refusal.value.kind == "not_found"


def case_files() -> list[tuple[str, str, dict[str, Any]]]:
    """Each input of the cases, with what is expected of it."""
    found = []
    for file in sorted(CASES.glob("*.expected.json")):
        expected = json.loads(file.read_text())
        directory = CASES / expected["input"]
        if directory.is_file() and expected["load"] != "spec":
            found.append((expected["id"], expected["input"], expected))
        for name, of_file in expected["extra"].get("files", {}).items():
            if isinstance(of_file, dict) and "load" in of_file:
                found.append((expected["id"], f"{expected['input']}/{name}", {"extra": {}, **of_file}))
    return found


FROM_READING = {
    "json_repaired",
    "invalid_utf8",
    "control_chars_in_name",
    "string_timestamps",
    "top_level_array",
    "malformed_events_skipped",
    "truncated",
}


@pytest.mark.parametrize(("case", "name", "expected"), case_files())
def test_case(case: str, name: str, expected: dict[str, Any]) -> None:
    if expected["load"] == "error":
        with pytest.raises(TraceError) as refusal:
            read_trace(CASES / name)
        assert refusal.value.kind == expected["error"]["kind"]
        for words in expected["error"].get("must_mention", ()):
            assert words in refusal.value.message
        return
    trace = read_trace(CASES / name)
    wanted = FROM_READING & set(expected.get("warnings", ()))
    assert wanted <= set(problems(trace))
    if expected["load"] == "ok":
        assert set(problems(trace)) == wanted
    if "skipped_events" in expected["extra"]:
        assert problems(trace)["malformed_events_skipped"] == expected["extra"]["skipped_events"]
    if "replaced_names" in expected["extra"]:
        assert problems(trace)["invalid_utf8"] == expected["extra"]["replaced_names"]
