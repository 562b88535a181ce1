"""The reference against small traces worked out by hand, for what the published values do not touch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.reference import reference_report

Raw = dict[str, Any]


def event(cat: str, name: str, ts: float, dur: float, tid: int = 1, pid: int = 10, **args: Any) -> Raw:
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}


def step(number: int, ts: float, dur: float) -> Raw:
    return event("user_annotation", f"ProfilerStep#{number}", ts, dur)


def launched(
    correlation: int, call: tuple[float, float], kernel: tuple[float, float], stream: int = 7
) -> list[Raw]:
    return [
        event("cuda_runtime", "cudaLaunchKernel", *call, correlation=correlation),
        event("kernel", "k", *kernel, tid=stream, pid=0, device=0, stream=stream, correlation=correlation),
    ]


def overhead(name: str, ts: float, dur: float) -> Raw:
    return event("overhead", name, ts, dur, tid=0, pid=-1)


def report(tmp_path: Path, *events: Raw | list[Raw]) -> dict[str, Any]:
    flat = [raw for item in events for raw in (item if isinstance(item, list) else [item])]
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"deviceProperties": [{"id": 0}], "traceEvents": flat}), encoding="utf-8")
    return reference_report(path)


def only_step(found: dict[str, Any]) -> dict[str, Any]:
    [single] = found["steps"]
    return single  # type: ignore[no-any-return]


def causes(found: dict[str, Any]) -> dict[str, float]:
    return {cause: time for cause, time in only_step(found)["gpu"][0]["idle_by_cause"].items() if time}


def host(found: dict[str, Any]) -> dict[str, float]:
    return {cause: time for cause, time in only_step(found)["gpu"][0]["host_by"].items() if time}


def test_gap_before_a_launch_is_split_by_what_the_thread_was_doing(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        step(1, 1000, 1000),
        launched(1, (1000, 10), (1010, 40)),  # ends at 1050; the next one starts at 1400
        event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1060, 100),
        event("user_annotation", "Optimizer.step#SGD.step", 1170, 100),
        event("cuda_runtime", "cudaMalloc", 1180, 20),
        event("cpu_op", "aten::add", 1280, 60),
        event("cuda_runtime", "cudaEventQuery", 1290, 10),
        launched(2, (1350, 30), (1400, 10)),
    )
    # Before the first kernel: 1000–1010, the launch call. Gap 1050–1400: loader 1060–1160, host to 1380.
    assert causes(found) == {"input": 100.0, "host": 240.0, "launch": 20.0}
    assert host(found) == {
        "launch_call": 10.0 + 10.0 + 30.0,
        "allocator": 20.0,
        "optimizer": 80.0,
        "op_dispatch": 50.0,
        "python": 10.0 + 10.0 + 10.0 + 10.0,
    }


def test_a_gap_that_ends_a_wait_for_another_stream_is_a_dependency(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        step(1, 1000, 300),
        launched(1, (1000, 10), (1010, 40), stream=7),
        launched(2, (1015, 10), (1060, 20), stream=8),  # 10 after stream 7 ended: an event, then this one
        launched(3, (1030, 10), (1090, 20), stream=8),  # 10 after its own stream: launch
    )
    assert causes(found) == {"host": 10.0, "dependency": 10.0, "launch": 10.0}


def test_profiler_overhead_and_unlinked_work_name_their_gaps(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        step(1, 1000, 900),
        launched(1, (1000, 10), (1010, 40)),
        overhead("Buffer Flush", 1060, 20),
        event("kernel", "lost", 1100, 10, tid=7, pid=0, device=0, stream=7),
        launched(2, (1050, 5), (1300, 10)),  # 190 after the last event, launched long ago: over 100 µs
    )
    assert causes(found) == {"host": 10.0, "profiler": 20.0, "unknown": 10.0 + 20.0 + 190.0}


def test_refill_bubble_is_no_longer_than_the_wait(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        step(1, 1000, 900),
        launched(1, (1000, 10), (1010, 90)),
        event("cuda_runtime", "cudaStreamSynchronize", 1070, 35),  # s 1070, d 1100, r 1105: at most 35
        launched(2, (1150, 10), (1160, 10)),
    )
    assert causes(found) == {"sync_bubble": 35.0, "host": 10.0 + 25.0}
    sync = only_step(found)["sync"]
    assert (sync["total_us"], sync["gpu_busy_us"], sync["gpu_idle_us"]) == (35.0, 30.0, 5.0)
    assert sync["bubble_us"] == 35.0


def test_launch_latency_is_split_first_match(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        step(1, 1000, 900),
        launched(1, (1000, 50), (1200, 10)),
        overhead("Activity Buffer Request", 1000, 20),
        overhead("Lazy Function Loading", 1010, 20),
        overhead("Command Buffer Full", 1060, 5),
        event("kernel", "foreign", 1100, 30, tid=9, pid=0, device=0, stream=9),
    )
    offset = only_step(found)["lane_offset"]
    parts = ("queue_us", "profiler_us", "loading_us", "call_us", "dependency_us", "other_us")
    assert [offset[part] for part in parts] == [5.0, 20.0, 10.0, 20.0, 30.0, 115.0]


def test_a_kernel_before_its_launch_is_clock_skew(tmp_path: Path) -> None:
    found = report(tmp_path, step(1, 1000, 900), launched(1, (1100, 10), (1095, 10)))
    offset = only_step(found)["lane_offset"]
    assert (offset["first_us"], offset["median_us"], offset["all"]["sum_us"]) == (0.0, None, 0.0)
    [warning] = found["warnings"]
    assert (warning["kind"], warning["count"], warning["data"]["min_latency_us"]) == ("clock_skew", 1, -5.0)


def test_same_correlation_twice_is_told_apart_by_external_id_or_left_unlinked(tmp_path: Path) -> None:
    def call(pid: int, external_id: int) -> Raw:
        return event("cuda_runtime", "cudaLaunchKernel", 1010, 5, pid=pid) | {
            "args": {"correlation": 1, "External id": external_id}
        }

    def kernel(ts: float, external_id: int) -> Raw:
        return event("kernel", "k", ts, 10, pid=0, tid=7) | {
            "args": {"device": 0, "stream": 7, "correlation": 1, "External id": external_id}
        }

    found = report(tmp_path, step(1, 1000, 900), call(10, 5), call(11, 6), kernel(1020, 5), kernel(1040, 9))
    assert only_step(found)["kernels"] == 1
    counts = {warning["kind"]: warning["count"] for warning in found["warnings"]}
    assert counts["ambiguous_correlation"] == 1
    assert counts["missing_launch"] == 1


def test_device_window_starts_where_the_earlier_steps_work_ended(tmp_path: Path) -> None:
    found = report(
        tmp_path,
        step(1, 1000, 100),
        launched(1, (1010, 5), (1020, 200)),  # ends at 1220, after step 2 began
        step(2, 1100, 100),
        launched(2, (1110, 5), (1230, 50)),  # 1230–1280
    )
    first, second = found["steps"]
    assert (first["gpu"][0]["period_us"], second["gpu"][0]["period_us"]) == (None, 60.0)
    assert (first["gpu"][0]["idle_us"], second["gpu"][0]["idle_us"]) == (20.0, 10.0)
    assert found["pace_us"] == 100.0  # step 2: its CPU span is longer than its device period


def test_begin_and_end_on_one_thread_are_one_event(tmp_path: Path) -> None:
    def mark(ph: str, ts: float) -> Raw:
        return {
            "ph": ph,
            "cat": "cuda_runtime",
            "name": "cudaStreamSynchronize",
            "pid": 10,
            "tid": 1,
            "ts": ts,
        }

    found = report(tmp_path, step(1, 1000, 900), mark("B", 1100.0005), mark("E", 1150.0015))
    assert only_step(found)["sync"]["total_us"] == 50.002  # both ends rounded half to even
