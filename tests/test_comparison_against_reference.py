"""What a comparison says of pairs of traces equals the slow reference's.

``tests/reference/comparison`` was written from docs/definitions/comparison.md alone; it shares no code with
the package.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tb_plugin_explain.comparison.build import Source, compare_paths
from tests.reference.comparison import Side, by_step, changes, deltas, side_of, verdict
from tests.reference.sections import in_microseconds

CASES = Path(__file__).parent / "samples" / "cases"
RECORDED = CASES.parent / "compare"
SAMPLES = Path(__file__).parents[1] / "tb_plugin_explain" / "samples"
TRACES = Path(os.environ.get("EXPLAIN_SHARED", Path(__file__).resolve().parents[2] / "shared")) / "traces"

OURS = {
    "T02": (CASES, "T02-tutorial-4096-pair/eager", "T02-tutorial-4096-pair/compiled"),
    "B52": (CASES, "B52-diff-different-step-counts/eager", "B52-diff-different-step-counts/compiled"),
    "B54": (CASES, "B54-diff-recompile-inside-a-step/eager", "B54-diff-recompile-inside-a-step/compiled"),
    "tutorial": (SAMPLES, "tutorial_4096_eager", "tutorial_4096_compiled"),
    "mlp": (SAMPLES, "mlp_eager", "mlp_compiled"),
    "idle-steps": (
        CASES,
        "B34-steps-without-gpu-hidden-in-the-sum.json",
        "B34-steps-without-gpu-hidden-in-the-sum.json",
    ),
    "mlp-stacks": (SAMPLES, "mlp_memory_stacks", "mlp_compiled"),
}
OURS |= {
    f"{baseline}, {candidate}": (RECORDED, baseline, candidate)
    for baseline, candidate in (
        ("classifier_eager", "classifier_compiled"),
        ("classifier_eager_shapes", "classifier_compiled_shapes"),
        ("classifier_kernel_events", "classifier_graph_break"),
        ("classifier_eager", "small_classifier_recompiled"),
        ("transformer_eager", "transformer_compiled"),
        ("transformer_compiled", "transformer_graph_break"),
        ("transformer_eager", "transformer_recompiled"),
        ("transformer_compiled", "transformer_reduce_overhead"),
    )
}
PUBLISHED = {
    "luatil": ("luatil__trace_04", "luatil__trace_05"),
    "luatil-back": ("luatil__trace_05", "luatil__trace_04"),
    "luatil-itself": ("luatil__trace_05", "luatil__trace_05"),
    "samfast": ("samfast__2023-10-18_9a7a088f5dc1_asdf_False", "samfast__2023-10-18_9a7a088f5dc1_asdf_True"),
    "hta": ("hta__trace_compare_base_base", "hta__trace_compare_test_test"),
    "kineto-fix": (
        "kineto__2026-04-02_docs__traces__before_fix_trace",
        "kineto__2026-04-02_docs__traces__after_fix_trace",
    ),
    "kineto-2021": (
        "kineto__2021-06-11_resnet50_num_workers_0__worker0.1623143089861.pt.trace",
        "kineto__2021-06-11_resnet50_num_workers_0__worker0.1623143566756.pt.trace",
    ),
    "kineto-2021-months": (
        "kineto__2021-01-13_resnet50_num_workers_0__worker0.pt.trace",
        "kineto__2021-02-23_resnet50_num_workers_0__worker0.pt.trace",
    ),
    "bert": (
        "tracelens__h100__gaunernst_bert-small-uncased__1016001",
        "tracelens__mi300__gaunernst_bert-small-uncased__1016001",
    ),
    "qwen": (
        "tracelens__h100__Qwen_Qwen1.5-0.5B-Chat__1016005",
        "tracelens__mi300__Qwen_Qwen1.5-0.5B-Chat__1016005",
    ),
    "owlv2": (
        "tracelens__h100__google_owlv2-large-patch14-ensemble__1016001",
        "tracelens__mi300__google_owlv2-large-patch14-ensemble__1016001",
    ),
    "megatron": ("astrasim__megatron_kineto_0", "astrasim__megatron_kineto_1"),
    "decode": (
        "tracelens__inference__vllm_decode_full__graph_execution",
        "tracelens__inference__sglang_decode__sglang_Qwen3-8B_decode",
    ),
    "mtia": (
        "hta__mtia_inference_trace_mtia_inference_rank_0",
        "hta__mtia_trace_single_rank_mtia_rank_0",
    ),
}
NEAR = 1e-4  # µs
BY_STEP = (
    "step_us",
    "gpu_busy_us",
    "gpu_idle_us",
    "sync_us",
    "bubble_us",
    "launches",
    "kernels",
    "copies",
    "first_us",
)
BREAK = ("before", "after", "between_us", "operators")
TOLD_BY_FILES = ("device", "ranks", "rank", "modes")
CONFOUNDING = ("device", "ranks", "precision", "batch", "compile")


def pair_of(name: str) -> tuple[Path, Path]:
    if name in OURS:
        folder, *sides = OURS[name]
        first, second = (only_file(folder, side) for side in sides)
        return first, second
    if not TRACES.is_dir():
        pytest.skip("no traces of real inputs beside the repository (set EXPLAIN_SHARED)")
    first, second = (TRACES / f"{side}.json.gz" for side in PUBLISHED[name])
    return first, second


def only_file(folder: Path, start: str) -> Path:
    if (folder / start).is_file():
        return folder / start
    (only,) = [*folder.glob(f"{start}/*.json*"), *folder.glob(f"{start}.*.json*")]
    return only


@cache
def compared(paths: tuple[Path, Path]) -> dict[str, Any]:
    a, b = paths
    comparison = compare_paths(Source(str(a)), Source(str(b)))
    decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(comparison))
    return decoded


Both = tuple[dict[str, Any], Side, Side]


def both_of(name: str) -> Both:
    a, b = pair_of(name)
    return compared((a, b)), side_of(a), side_of(b)


def every_pair(test: Callable[..., None]) -> Any:
    return pytest.mark.parametrize("name", [*OURS, *PUBLISHED])(test)


@every_pair
def test_the_compared_steps(name: str) -> None:
    package, a, b = both_of(name)
    steps = package["steps"]
    left_out = [
        {"side": side, "step": step.number, "because": list(step.reasons)}
        for side, figures in (("baseline", a), ("candidate", b))
        for step in figures.steps
        if not step.compared
    ]
    assert steps["baseline"] == [s.number for s in a.compared]
    assert steps["candidate"] == [s.number for s in b.compared]
    assert steps["left_out"] == left_out
    assert steps["settled"] == (a.settled and b.settled)
    assert steps["typical"] == {"baseline": typical(a, b), "candidate": typical(b, a)}


def typical(side: Side, other: Side) -> int | None:
    return side.typical if side.any_gpu_work or other.any_gpu_work else side.typical_cpu


@every_pair
def test_every_delta(name: str) -> None:
    package, a, b = both_of(name)
    expected = deltas(a, b)
    ours = {delta["metric"]: delta for delta in package["deltas"]}
    assert list(wrong_values(ours, expected)) == []
    assert list(wrong_intervals(ours, expected)) == []


def wrong_values(ours: dict[str, Any], expected: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for metric in ours.keys() | expected.keys():
        for figure in ("baseline", "candidate", "difference"):
            package, reference = (side.get(metric, {}).get(figure, "absent") for side in (ours, expected))
            if not same(package, reference):
                yield metric, figure, package, reference


def same(package: Any, reference: Any) -> bool:
    """Figures are whole halves of nanoseconds, bytes and counts: nothing else lies within a tenth of one."""
    if isinstance(package, int | float) and isinstance(reference, int | float):
        return abs(package - reference) < NEAR
    return bool(package == reference)


def wrong_intervals(ours: dict[str, Any], expected: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Those of few steps to the last bit; drawn ones by where an honest draw must lie."""
    for metric, delta in expected.items():
        interval, bounds = ours[metric]["interval"], delta["bounds"]
        if bounds is None:
            right = same_interval(interval, delta["interval"])
        else:
            right = interval is not None and all(
                low - NEAR <= end <= high + NEAR for end, (low, high) in zip(interval, bounds, strict=True)
            )
        exact = delta["interval"] or interval
        within = None if exact is None else exact[0] <= 0 <= exact[1]
        if not right or ours[metric]["within_noise"] != within:
            yield metric, interval, ours[metric]["within_noise"], delta["interval"] or bounds
        if (ours[metric]["not_measured"] is None) != (ours[metric]["difference"] is not None):
            yield metric, "not_measured", ours[metric]["not_measured"]


def same_interval(package: list[float] | None, reference: list[float] | None) -> bool:
    if package is None or reference is None:
        return package is reference
    return all(same(one, other) for one, other in zip(package, reference, strict=True))


@every_pair
def test_every_step_with_its_counterpart(name: str) -> None:
    package, a, b = both_of(name)
    expected = by_step(a, b)
    assert [(row["baseline"], row["candidate"]) for row in package["by_step"]] == [
        (row["baseline"], row["candidate"]) for row in expected
    ]
    for ours, theirs in zip(package["by_step"], expected, strict=True):
        of_step = {delta["metric"]: delta for delta in ours["deltas"]}
        assert set(of_step) == set(BY_STEP)
        wanted = {metric: theirs["deltas"][metric] for metric in BY_STEP}
        assert list(wrong_values(of_step, wanted)) == []
        assert all(delta["interval"] is None and delta["within_noise"] is None for delta in ours["deltas"])


@every_pair
def test_the_verdict_and_what_changed(name: str) -> None:
    package, a, b = both_of(name)
    headline = package["headline"]
    pace = next(delta for delta in package["deltas"] if delta["metric"] == "pace_us")
    assert headline["verdict"] == verdict(a, b, pace)
    what = [change["what"] for change in headline["changes"]]
    assert [w for w in what if w in TOLD_BY_FILES] == changes(a, b)
    assert headline["confounded"] == (sum(w in CONFOUNDING for w in what) >= 2)


@every_pair
def test_what_the_compiled_code_did(name: str) -> None:
    package, a, b = both_of(name)
    gpu = a.any_gpu_work or b.any_gpu_work
    for key, side in (("baseline_compile", a), ("compile", b)):
        expected = side.compiled if gpu else side.compiled_cpu
        if expected is None:
            assert package[key] is None
            continue
        facts = {**package[key], "regions": sorted(package[key]["regions"])}
        facts["phases"] = {phase["name"]: phase["time_us"] for phase in facts["phases"]}
        facts["breaks"] = [{field: place[field] for field in BREAK} for place in facts["breaks"]]
        assert [
            (field, facts[field], theirs)
            for field, theirs in figures(expected).items()
            if not same_tree(facts[field], theirs)
        ] == []
    assert break_even(package) == (package["compile"] or {}).get("break_even_steps")


def figures(expected: dict[str, Any]) -> dict[str, Any]:
    """In the units of the JSON; names of phases do not say that they are times."""
    found: dict[str, Any] = in_microseconds(expected)
    return found | {"phases": {name: time / 1000 for name, time in expected["phases"].items()}}


def same_tree(package: Any, reference: Any) -> bool:
    if isinstance(package, dict) and isinstance(reference, dict):
        return package.keys() == reference.keys() and all(
            same_tree(package[key], reference[key]) for key in package
        )
    if isinstance(package, list) and isinstance(reference, list):
        return len(package) == len(reference) and all(map(same_tree, package, reference))
    return same(package, reference)


def break_even(package: dict[str, Any]) -> int | None:
    """Steps after which the pace won has paid for compiling; both in the JSON to the nanosecond."""
    facts, pace = package["compile"], package["deltas"][0]
    if facts is None or facts["compile_us"] is None or package["headline"]["verdict"] != "faster":
        return None
    halves_won = round(-pace["difference"] * 2000)  # of nanoseconds, as the median of two may have
    return ceil(Fraction(2 * round(facts["compile_us"] * 1000), halves_won))


@every_pair
def test_the_groups_hold_all_work_of_the_typical_steps(name: str) -> None:
    package, a, b = both_of(name)
    gpu = a.any_gpu_work or b.any_gpu_work
    assert package["group_summary"]["of"] == ("gpu" if gpu else "cpu")
    for key, side in (("baseline", a), ("candidate", b)):
        work = side.gpu_work if gpu else side.cpu_work
        time, events = (0, 0) if work is None else (work.time, work.events)
        groups = [group[key] for group in package["groups"]]
        assert same(package["group_summary"][f"{key}_us"], time / 1000)
        assert same(sum(group["time_us"] for group in groups), time / 1000)
        assert sum(group["events"] for group in groups) == events
        totals = package["group_summary"]["totals"]
        assert same(sum(total[f"{key}_us"] for total in totals), time / 1000)
        assert sum(total[f"{key}_events"] for total in totals) == events
        assert all(same_group(group) for group in groups)


def same_group(side: dict[str, Any]) -> bool:
    """The kernels of a group sum to it."""
    kernels = side["kernels"]
    counted = sum(kernel["count"] for kernel in kernels) == side["events"]
    return counted and same(sum(kernel["time_us"] for kernel in kernels), side["time_us"])
