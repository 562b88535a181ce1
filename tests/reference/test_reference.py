"""The reference against the published values: the worked example, the cases, and the sums that must hold."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.reference import reference_report

CASES = Path(__file__).parents[1] / "samples" / "cases"
SHARED = Path(os.environ.get("EXPLAIN_SHARED", Path(__file__).parents[3] / "shared"))
TRACES = SHARED / "traces"
needs_traces = pytest.mark.skipif(not TRACES.is_dir(), reason="the real traces are not on this machine")

QWEN = "tracelens__h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz"
INVARIANT_TRACES = (
    QWEN,
    "astrasim__megatron_kineto_1.json.gz",
    "hta__mtia_inference_trace_mtia_inference_rank_0.json.gz",
    "hta__negative_queue_length_values_check_rank0.json.gz",
    "hta__triton_example_triton_example.json.gz",
    "kineto__2021-01-13_resnet50_num_workers_0__worker0.pt.trace.json.gz",
    "luatil__trace_04.json.gz",
    "ptbench__trace2.json.gz",
    "tracelens__b200__eager_trace.json.gz",
    "tracelens__mi300__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
    "tracelens_ut__gemm_01_compute_few_tiles.json.gz",
)


@cache
def report_of(path: Path) -> dict[str, Any]:
    return reference_report(path)


def kinds(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {warning["kind"]: warning for warning in report["warnings"]}


# --- The worked example published with the definitions ---

QWEN_CLOSING_WAIT = {
    "name": "cudaDeviceSynchronize",
    "total_us": 2167.279,
    "gpu_busy_us": 2043.859,
    "gpu_idle_us": 123.42,
    "profiler_us": 0.0,
}
QWEN_SYNC = {
    "total_us": 14110.22,
    "calls": 2,
    "gpu_busy_us": 13381.402,
    "gpu_idle_us": 728.818,
    "profiler_us": 0.0,
    "implicit_us": 0.0,
    "implicit_gpu_busy_us": 0.0,
    "implicit_gpu_idle_us": 0.0,
    "implicit_profiler_us": 0.0,
    "bubble_us": 298.633,
}
QWEN_LANE_OFFSET = {
    "first_us": 21.348,
    "end_us": 2227.508,
    "median_us": 1206.173,
    "p95_us": 2927.092,
    "max_us": 3124.669,
    "call_us": 21.348,
    "queue_us": 0.0,
    "profiler_us": 0.0,
    "loading_us": 0.0,
    "dependency_us": 0.0,
    "other_us": 0.0,
    "all": {
        "sum_us": 1401127.803,
        "call_us": 148.796,
        "queue_us": 1399427.576,
        "profiler_us": 0.0,
        "loading_us": 0.0,
        "dependency_us": 0.0,
        "other_us": 1551.431,
    },
}
QWEN_GPU = {
    "device": 0,
    "busy_us": 31905.473,
    "kernel_us": 31760.058,
    "copy_us": 2.368,
    "memset_us": 143.047,
    "communication_us": 0.0,
    "communication_exposed_us": 0.0,
    "copy_exposed_us": 2.368,
    "period_us": None,
    "idle_us": 3996.411,
    "other_work_us": 13477.019,
    "idle_by_cause": {
        "profiler": 0.0,
        "sync_bubble": 298.633,
        "input": 0.0,
        "host": 1192.606,
        "dependency": 0.0,
        "launch": 1786.65,
        "unknown": 718.522,
    },
    "host_by": {
        "loading": 0.0,
        "allocator": 0.0,
        "wait": 0.0,
        "launch_call": 169.938,
        "compile_lookup": 0.0,
        "optimizer": 0.0,
        "op_dispatch": 485.892,
        "python": 536.776,
    },
}


@needs_traces
def test_worked_example_is_reproduced_to_the_nanosecond() -> None:
    report = report_of(TRACES / QWEN)
    [step] = report["steps"]
    assert report["pace_us"] is None
    assert report["closing_wait"] == QWEN_CLOSING_WAIT
    assert (step["number"], step["start_us"], step["duration_us"], step["period_us"]) == (
        6,
        0.0,
        47151.395,
        None,
    )
    assert (step["settled"], step["unsettled_because"]) == (None, [])
    assert step["sync"] == QWEN_SYNC
    assert step["lane_offset"] == QWEN_LANE_OFFSET
    [gpu] = step["gpu"]
    gpu = dict(gpu)
    gpu.pop("window_us")  # ours, beside the fields of the report
    assert gpu == QWEN_GPU
    assert (step["launches"], step["kernels"], step["copies"], step["memsets"]) == (1198, 1029, 1, 168)


# --- The cases ---


def load_case(expected: Path) -> dict[str, Any]:
    return json.loads(expected.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def input_files(case: dict[str, Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    """(file, expected steps) of one case."""
    per_file = case["extra"].get("per_file")
    if per_file:
        return [(f"{case['input']}/{name}", facts["steps"]) for name, facts in per_file.items()]
    path = CASES / case["input"]
    if path.is_file():
        return [(case["input"], case["steps"])]
    return [(str(file.relative_to(CASES)), case["steps"]) for file in sorted(path.rglob("*.json*"))]


# T02: below, its values stand under other keys. The others are files that reading has to mend or
# refuse, or no traces at all: that is the package's job and not the reference's.
LEFT_OUT = {"T02", "B01", "B03", "B05", "B07", "B09", "B14", "B57", "B59", "B61", "B62"}


def cases() -> list[Any]:
    found = []
    for expected in sorted(CASES.glob("*.expected.json")):
        case = load_case(expected)
        if case["id"] not in LEFT_OUT:
            for name, steps in input_files(case):
                found.append(pytest.param(name, steps, case["warnings"], id=name))
    return found


@pytest.mark.parametrize(("name", "expected_steps", "expected_warnings"), cases())
def test_case_has_the_expected_steps(
    name: str, expected_steps: list[dict[str, Any]], expected_warnings: list[str]
) -> None:
    report = report_of(CASES / name)
    found = [short_keys(step) for step in report["steps"]]
    assert [
        {key: step[key] for key in wanted} for step, wanted in zip(found, expected_steps, strict=True)
    ] == expected_steps
    reading_repairs = {"top_level_array", "malformed_events_skipped"}
    assert set(expected_warnings) - reading_repairs <= set(kinds(report))


def short_keys(step: dict[str, Any]) -> dict[str, Any]:
    busy = {str(gpu["device"]): gpu["busy_us"] for gpu in step["gpu"] or []}
    return {
        "n": step["number"],
        "step_us": step["duration_us"],
        "sync_us": step["sync"]["total_us"],
        "sync_calls": step["sync"]["calls"],
        "lane_offset_us": step["lane_offset"]["first_us"],
        "gpu_busy_us": next(iter(busy.values()), None),
        "gpu_busy_us_by_device": busy,
        "kernels": step["kernels"],
    }


def single(pattern: str) -> dict[str, Any]:
    [path] = [p for p in CASES.glob(f"{pattern}*.json") if not p.name.endswith(".expected.json")]
    return report_of(path)


def test_whole_trace_without_steps_is_one_unnumbered_step() -> None:
    report = single("B15")
    [step] = report["steps"]
    assert (step["duration_us"], step["sync"]["total_us"], step["kernels"]) == (280.0, 180.0, 1)
    assert (step["gpu"][0]["busy_us"], step["lane_offset"]["first_us"]) == (250.0, 20.0)


def test_work_of_an_earlier_step_is_queue_time_and_other_work() -> None:
    [step] = single("B20")["steps"]
    assert step["lane_offset"]["queue_us"] == 140.0
    assert step["gpu"][0]["other_work_us"] == 200.0


def test_lost_events_are_counted() -> None:
    zero = kinds(single("B26"))["zero_timestamp_events"]
    assert (zero["count"], zero["data"]["lost_kernels"]) == (3, 2)
    assert kinds(single("B28"))["negative_duration"]["count"] == 3


def test_orphans_are_counted_on_both_sides() -> None:
    warnings = kinds(single("B32"))
    assert warnings["missing_kernel"]["count"] == 2
    assert (warnings["missing_launch"]["count"], warnings["missing_launch"]["data"]["time_us"]) == (2, 100.0)


def test_a_step_whose_gpu_events_are_lost_has_no_gpu_figures() -> None:
    assert [step["gpu"] is None for step in single("B34")["steps"]] == [False, True, True]


def test_clipped_busy_time_stands_in_the_warning() -> None:
    assert kinds(single("B38"))["same_stream_overlap"]["data"]["busy_clipped_us"] == 500.0


def test_implicit_waits_stand_beside_the_explicit_ones() -> None:
    assert single("B46")["steps"][0]["sync"]["implicit_us"] == 395.0


def test_a_blocked_launch_shows_in_the_longest_latency() -> None:
    assert single("B44")["steps"][0]["lane_offset"]["max_us"] == 5776.0


def test_nested_driver_launch_is_no_lost_kernel() -> None:
    assert "missing_kernel" not in kinds(single("B49"))


def test_a_slow_first_step_is_a_cold_start() -> None:
    steps = single("B24")["steps"]
    assert [step["settled"] for step in steps] == [False, True, True]
    assert steps[0]["unsettled_because"] == ["cold_start"]


def test_recompiling_step_is_not_settled() -> None:
    report = report_of(CASES / "B54-diff-recompile-inside-a-step" / "compiled.1700000000002.pt.trace.json")
    assert [step["unsettled_because"] for step in report["steps"]] == [[], [], ["recompile"], []]


def test_tutorial_64_is_host_bound_with_the_profilers_own_wait() -> None:
    report = single("T01")
    assert report["closing_wait"]["gpu_busy_us"] == 23.103
    assert report["headline"]["verdict"] == "host_bound"
    assert report["steps"][0]["settled"] is False


@pytest.mark.parametrize("side", ["eager", "compiled"])
def test_tutorial_4096_pair(side: str) -> None:
    case = load_case(CASES / "T02-tutorial-4096-pair.expected.json")
    report = report_of(CASES / case["input"] / case["files"][side])
    found = [
        {
            "n": step["number"],
            "cpu_us": step["duration_us"],
            "gpu_busy_us": step["gpu"][0]["busy_us"],
            "kernels": step["kernels"],
            "memcpy": step["copies"],
            "launches": step["launches"],
        }
        for step in report["steps"]
    ]
    expected = case["extra"]["per_step"][side]
    assert [
        {key: step[key] for key in wanted} for step, wanted in zip(found, expected, strict=True)
    ] == expected
    assert [step["number"] for step in report["steps"] if step["settled"]] == case["extra"]["settled"][side]
    role = {"eager": "baseline", "compiled": "candidate"}[side]
    assert report["pace_us"] == case["extra"]["deltas"]["pace_us"][role]


# --- What must hold in every trace ---

LATENCY_PARTS = ("call_us", "queue_us", "profiler_us", "loading_us", "dependency_us", "other_us")


def nanoseconds(microseconds: float | None) -> int:
    return round((microseconds or 0) * 1000)


@needs_traces
@pytest.mark.parametrize("name", INVARIANT_TRACES)
def test_every_split_sums_to_what_it_splits(name: str) -> None:
    for step in report_of(TRACES / name)["steps"]:
        for prefix, total in (("", "total_us"), ("implicit_", "implicit_us")):
            parts = (step["sync"][f"{prefix}{part}_us"] for part in ("gpu_busy", "gpu_idle", "profiler"))
            assert sum(map(nanoseconds, parts)) == nanoseconds(step["sync"][total])
        offset = step["lane_offset"]
        if offset["first_us"] is not None:
            assert sum(nanoseconds(offset[part]) for part in LATENCY_PARTS) == nanoseconds(offset["first_us"])
        everything = offset["all"]
        assert sum(nanoseconds(everything[part]) for part in LATENCY_PARTS) == nanoseconds(
            everything["sum_us"]
        )
        for gpu in step["gpu"] or []:
            check_device(gpu)


def check_device(gpu: dict[str, Any]) -> None:
    assert sum(map(nanoseconds, gpu["idle_by_cause"].values())) == nanoseconds(gpu["idle_us"])
    assert sum(map(nanoseconds, gpu["host_by"].values())) == nanoseconds(gpu["idle_by_cause"]["host"])
    assert gpu["idle_us"] <= gpu["window_us"]
    assert gpu["communication_us"] <= gpu["kernel_us"] <= gpu["busy_us"]
