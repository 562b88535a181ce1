"""What a case says beyond its steps: each fact stands in the report, or is left out for a reason."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from tb_plugin_explain import runs
from tb_plugin_explain.report import explain_path
from tb_plugin_explain.report_schema import Report
from tb_plugin_explain.trace.reader import read_trace
from tests.case_files import (
    CASES,
    assert_steps,
    case_of,
    data_of,
    names,
    only_device,
    report,
    report_of,
    short,
    traces_in,
)

# Facts without a field in the report of one trace, or that tell a reader how to use the case.
LEFT_OUT: Mapping[str, str] = {
    "acceptable_alternative": "the better answer is given",
    "note": "for readers",
    "how": "for readers; the test below does it",
    "skipped_are": "for readers; the count is checked",
    "ui": "the browser tests look for it",
    "crossing_ranges": "no figure counts them; the figures of the step show that they do no harm",
    "kernel_sum_us": "a sum over streams is not shown",
    "device_sync_end_us": "no figure gives the end of one call",
    "lanes": "no figure counts streams",
    "cpu_ops_in_step": "operators are a later part of the report",
    "blocked_launch_us": "no figure gives the length of one call; the CPU's time in launch calls holds it",
    # Of two runs.
    "diff": "comparison",
    "groups": "comparison",
    "deltas": "comparison; only the pace of each side is a fact of one run",
}
# Facts that test_cases.py checks.
BELOW: Mapping[str, set[str]] = {
    "B62": {"is_active_max_seconds", "run_list_max_seconds", "files_opened_by_is_active", "runs_listed"}
}


def _equals(of: Callable[[Any], Any]) -> Callable[[Any], None]:
    """Checks that a fact is what ``of`` gives."""

    def check(fact: Any) -> None:
        assert of(fact) == fact

    return check


def _whole_trace(fact: dict[str, Any]) -> None:
    (step,) = report("B15").steps
    shown = short(step) | {"span_us": step.duration_us}
    assert {key: shown[key] for key in fact} == fact
    assert step.number is None


def _generated(fact: dict[str, Any], tmp: Path) -> None:
    operators = [
        {"ph": "X", "cat": "cpu_op", "name": "f", "pid": 1, "tid": 1, "ts": 10 + i, "dur": 90_000 - 2 * i}
        for i in range(fact["expected"]["max_depth"])
    ]
    step = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#0", "pid": 1, "tid": 1, "ts": 0}
    path = tmp / "deep_trace.json"
    path.write_text(json.dumps({"traceEvents": [step | {"dur": 100_000}, *operators]}))
    assert_steps(explain_path(str(path)), fact["expected"]["steps"])


def _absolute_starts(fact: float) -> None:
    host0, host1 = (report_of(p) for p in traces_in(CASES / case_of("B40")["input"]))
    starts = [r.trace.origin_ns + round(r.steps[0].start_us * 1000) for r in (host0, host1)]
    assert starts[0] == 1_700_000_000_001_000_000
    assert (starts[1] - starts[0]) / 1000 == fact


def _workers(fact: dict[str, list[str]]) -> None:
    found: dict[str, list[str]] = {}
    for path in traces_in(CASES / case_of("B56")["input"]):
        worker, span = runs.split_name(path.name)
        found.setdefault(worker, []).append(span or "")
    assert found == fact


def _found_names(_: Any) -> set[str]:
    return {path.name for path in traces_in(CASES / case_of("B57")["input"])}


def _ignored(fact: list[str]) -> None:
    assert not set(fact) & _found_names(None)


def _names_verbatim(fact: list[str]) -> None:
    names = read_trace(str(CASES / case_of("B65")["input"])).names
    assert set(fact) <= set(names)


def _shows_launch_blocked(_: Any) -> None:
    (step,) = report("B44").steps
    assert step.cpu_by is not None
    assert step.cpu_by.launch_call >= case_of("B44")["extra"]["blocked_launch_us"]
    assert step.lane_offset.all.queue_us == step.lane_offset.max_us


def _shows_hidden_waits(_: Any) -> None:
    (finding,) = [f for f in report("B46").findings if f.rule == "implicit-waits"]
    assert "cudaFree and cudaMalloc" in finding.text


def _shows_outlier(_: Any) -> None:
    assert [step.settled for step in report("B24").steps] == [False, True, True]
    assert report("B24").headline.steps == [2, 3]


def _shows_late_work(_: Any) -> None:
    end = report("B34").steps[0].lane_offset.end_us
    assert end is not None
    assert end > 0


def _tutorial_headline(_: str) -> None:
    found = report("T01")
    assert (found.headline.verdict, found.headline.confidence) == ("host_bound", "clear")
    assert found.closing_wait is not None
    assert found.closing_wait.gpu_busy_us == 23.103


def _tutorial_answers(_: list[str]) -> None:
    """All but the occupancy query: which calls an operator makes is a later part of the report."""
    found = report("T01")
    by_rule = {finding.rule: finding for finding in found.findings}
    assert found.steps[0].unsettled_because == ("profiler_buffer", "cold_start")
    assert "cold start" in by_rule["unsettled-steps"].text
    assert by_rule["profiler-buffer"].verdict == "artifact"
    assert "Activity Buffer Request" in by_rule["profiler-buffer"].text
    assert by_rule["closing-wait"].verdict == "artifact"
    assert by_rule["closing-wait"].looks_like_us == 1780.0
    assert "23.1 µs" in by_rule["closing-wait"].text
    assert [step.sync.total_us for step in found.steps] == [0, 0, 0]


def _pair(side: str) -> Report:
    case = case_of("T02")
    return report_of(CASES / case["input"] / case["files"][side])


def _pair_steps(fact: dict[str, list[dict[str, Any]]]) -> None:
    for side, steps in fact.items():
        assert_steps(_pair(side), steps)


def _pair_settled(fact: dict[str, Any]) -> None:
    for side in ("eager", "compiled"):
        steps = _pair(side).steps
        assert [step.number for step in steps if step.settled] == fact[side]
        assert [(step.number, step.unsettled_because) for step in steps if not step.settled] == [
            (2, ("cold_start",))
        ]


def _pair_answers(_: Any) -> None:
    """Of one run alone: what a median step costs, and that step 3 strays. The rest is comparison."""
    paces = case_of("T02")["extra"]["deltas"]["pace_us"]
    for side, role in (("eager", "baseline"), ("compiled", "candidate")):
        assert _pair(side).pace_us == paces[role]
        assert _pair(side).headline.verdict == "compute_bound"


def _active_without_traces(fact: bool, tmp: Path) -> None:
    source = CASES / case_of("B59")["input"]
    for run in ("run_a", "run_b"):
        (tmp / run).mkdir()
        for file in (source / run).iterdir():
            copyfile(file, tmp / run / file.name)
    assert bool(runs.scan(runs.parse_logdirs(str(tmp), None)).runs) == fact


def _scanned_within(seconds: float) -> None:
    began = time.monotonic()
    runs.scan(runs.parse_logdirs(str(CASES / case_of("B59")["input"]), None))
    assert time.monotonic() - began < seconds


Fact = Callable[..., None]
FACTS: Mapping[str, Mapping[str, Fact]] = {
    "B03": {"replaced_names": _equals(lambda _: data_of("B03", "invalid_utf8")["count"])},
    "B08": {"cpu_events": _equals(lambda _: report("B08").trace.events)},
    "B11": {"skipped_events": _equals(lambda _: data_of("B11", "malformed_events_skipped")["count"])},
    "B14": {"generator": _generated},
    "B15": {"whole_trace": _whole_trace},
    "B20": {"gpu_busy_from_outside_us": _equals(lambda _: only_device("B20").other_work_us)},
    "B24": {
        "median_lane_offset_us": _equals(lambda _: report("B24").summary.first_us),
        "shows": _shows_outlier,
    },
    "B26": {
        "lost_kernels": _equals(lambda _: data_of("B26", "zero_timestamp_events")["gpu_events"]),
        "lost_events": _equals(lambda _: data_of("B26", "zero_timestamp_events")["count"]),
        "trace_start_us": _equals(lambda _: report("B26").trace.origin_ns % 10**12 / 1000),
    },
    "B28": {"negative_duration_events": _equals(lambda _: data_of("B28", "negative_duration")["count"])},
    "B32": {
        "launches_without_kernel": _equals(lambda _: data_of("B32", "missing_kernel")["count"]),
        "kernels_without_launch": _equals(lambda _: data_of("B32", "missing_launch")["count"]),
        "unlinked_gpu_us": _equals(lambda _: data_of("B32", "missing_launch")["time_us"]),
    },
    "B34": {
        "steps_with_launch_but_no_kernel": _equals(
            lambda _: [s.number for s in report("B34").steps if s.gpu is None and "gpu" in s.not_measured]
        ),
        "shows": _shows_late_work,
    },
    "B35": {
        "graph_launches": _equals(lambda _: report("B35").steps[0].launches),
        "kernels_by_graph": _equals(lambda _: report("B35").steps[0].kernels),
    },
    "B38": {
        "gpu_busy_clipped_us": _equals(lambda _: data_of("B38", "same_stream_overlap")["busy_clipped_us"])
    },
    "B40": {"rank1_step_start_minus_rank0_us": _absolute_starts},
    "B44": {
        "max_launch_latency_us": _equals(lambda _: report("B44").steps[0].lane_offset.max_us),
        "shows": _shows_launch_blocked,
    },
    "B46": {
        "implicit_sync_us": _equals(lambda _: report("B46").steps[0].sync.implicit_us),
        "shows": _shows_hidden_waits,
    },
    "B49": {
        "launches_without_kernel": _equals(
            lambda _: sum(w.count for w in report("B49").warnings if w.kind == "missing_kernel")
        )
    },
    "B56": {"workers": _workers},
    "B57": {"traces_found": _equals(lambda _: len(_found_names(None))), "ignored": _ignored},
    "B59": {"is_active_if_only_run_a_and_run_b": _active_without_traces, "max_seconds": _scanned_within},
    "B65": {"names_verbatim": _names_verbatim},
    "T01": {"headline": _tutorial_headline, "answers": _tutorial_answers},
    "T02": {"per_step": _pair_steps, "settled": _pair_settled, "answers": _pair_answers},
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "fact"), [(n, f) for n, facts in FACTS.items() for f in facts], ids=lambda value: str(value)
)
def test_a_fact_stands_in_the_report(name: str, fact: str, tmp_path: Path) -> None:
    check, value = FACTS[name][fact], case_of(name)["extra"][fact]
    if check in (_generated, _active_without_traces):
        check(value, tmp_path)
    else:
        check(value)


def test_every_fact_is_checked_or_left_out_for_a_reason() -> None:
    handled = {"files", "per_file"} | LEFT_OUT.keys()
    for name in names():
        checked = FACTS.get(name, {}).keys() | BELOW.get(name, set())
        assert set(case_of(name).get("extra", {})) - handled <= checked, name
