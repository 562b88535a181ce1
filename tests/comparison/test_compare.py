"""Whole comparisons: the cases, a run with itself, and the mirror image."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from tb_plugin_explain.comparison.build import Source, compare_paths
from tb_plugin_explain.comparison_schema import Comparison, FusionGroup
from tests.case_files import CASES, case_of

RECORDINGS = Path(__file__).parent.parent / "samples" / "compare"
MIRRORED = {"removed": "added", "added": "removed"}
VERDICTS = {"faster": "slower", "slower": "faster"}


def only(folder: Path) -> Source:
    (path,) = folder.glob("*.json*")
    return Source(str(path))


def case(name: str) -> tuple[Source, Source]:
    """Eager and compiled of a case."""
    folder = CASES / case_of(name)["input"]
    if (folder / "eager").is_dir():
        return only(folder / "eager"), only(folder / "compiled")
    baseline, candidate = sorted(folder.glob("*.json"), key=lambda p: not p.name.startswith("eager"))
    return Source(str(baseline)), Source(str(candidate))


PAIRS = {
    **{name: case(name) for name in ("T02", "B52", "B54")},
    "classifier": (only(RECORDINGS / "classifier_eager"), only(RECORDINGS / "classifier_compiled")),
    "graph break": (only(RECORDINGS / "classifier_eager"), only(RECORDINGS / "classifier_graph_break")),
    "kernel events": (only(RECORDINGS / "classifier_eager"), only(RECORDINGS / "classifier_kernel_events")),
}


def by_metric(comparison: Comparison) -> dict[str, tuple[float | None, float | None, float | None]]:
    return {d.metric: (d.baseline, d.candidate, d.difference) for d in comparison.deltas}


def times(comparison: Comparison, kind: str) -> list[tuple[float, float]]:
    return [(g.baseline.time_us, g.candidate.time_us) for g in comparison.groups if g.kind == kind]


def test_the_tutorial_gives_what_its_expected_file_says() -> None:
    expected = case_of("T02")["extra"]
    comparison = compare_paths(*case("T02"))
    for metric, figures in expected["deltas"].items():
        delta = next(d for d in comparison.deltas if d.metric == metric)
        found = msgspec.to_builtins(delta)
        assert {key: found[key] for key in figures if key != "interval"} == {
            key: value for key, value in figures.items() if key != "interval"
        }
        if "interval" in figures:
            assert delta.interval is not None
            assert list(delta.interval) == figures["interval"]
    assert comparison.headline.verdict == "within_noise"
    assert (comparison.steps.baseline, comparison.steps.candidate) == (
        expected["settled"]["eager"],
        expected["settled"]["compiled"],
    )
    assert {(s.side, s.step, tuple(s.because)) for s in comparison.steps.left_out} == {
        ("baseline", 2, ("cold_start",)),
        ("candidate", 2, ("cold_start",)),
    }
    assert [g.kind for g in comparison.groups] == ["dispatch_fused", "removed", "added"]
    merged, removed, added = comparison.groups
    assert merged.baseline.kernels[0].name == merged.candidate.kernels[0].name
    assert (merged.baseline.kernels[0].ops, merged.candidate.kernels[0].ops) == (
        ("aten::mm",),
        ("aten::addmm",),
    )
    assert (removed.baseline.events, removed.baseline.time_us) == (1, 62.0)
    assert (added.candidate.time_us, added.candidate.bytes) == (33.0, 33554432)
    assert comparison.compile is not None
    assert comparison.compile.tax is not None
    assert (comparison.compile.tax.lookup_us, comparison.compile.tax.prologue_us) == (12.0, 4.0)
    rules = {finding.rule: finding.verdict for finding in comparison.findings}
    assert rules == {"compile-tax": "expected", "dispatch-fusion-only": "expected"}


def test_steps_are_compared_and_not_totals_of_runs_of_different_length() -> None:
    comparison, expected = compare_paths(*case("B52")), case_of("B52")["extra"]["diff"]
    figures = by_metric(comparison)
    assert figures["gpu_busy_us"] == (160.0, 130.0, expected["busy_per_step_delta_us"])
    assert figures["kernels"][2] == expected["kernels_per_step_delta"]
    assert times(comparison, "unchanged") == [(100.0, 100.0)]
    assert times(comparison, "fused") == [(sum(expected["gone"].values()), sum(expected["new"].values()))]


def test_a_step_that_compiled_again_is_left_out() -> None:
    comparison, expected = compare_paths(*case("B54")), case_of("B54")["extra"]["diff"]
    assert by_metric(comparison)["step_us"] == (600.0, 400.0, expected["median_delta_us"])
    assert [(s.step, list(s.because)) for s in comparison.steps.left_out] == [(3, ["recompile"])]
    assert comparison.headline.verdict == "faster"
    assert comparison.compile is not None
    assert (comparison.compile.compile_us, comparison.compile.break_even_steps) == (900000.0, 4500)
    assert [finding.rule for finding in comparison.findings] == ["recompiling"]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("name", PAIRS)
def test_a_run_does_not_differ_from_itself(name: str, side: int) -> None:
    source = PAIRS[name][side]
    comparison = compare_paths(source, source)
    assert comparison.headline.verdict in ("within_noise", "undecided")
    assert comparison.headline.changes == []
    assert {d.difference for d in comparison.deltas} <= {0.0, None}
    assert {g.kind for g in comparison.groups} == {"unchanged"}
    for group in comparison.groups:
        assert (group.baseline, group.confidence) == (group.candidate, "clear")
    assert {f.rule for f in comparison.findings} <= {"compile-tax", "recompiling", "graph-breaks"}


def mirrored(group: FusionGroup) -> FusionGroup:
    kind = MIRRORED.get(group.kind, group.kind)
    return msgspec.structs.replace(
        group,
        kind=kind,
        title="",
        baseline=group.candidate,
        candidate=group.baseline,
    )


def in_order(groups: list[FusionGroup]) -> list[str]:
    return sorted(json.dumps(msgspec.to_builtins(group)) for group in groups)


@pytest.mark.parametrize("name", PAIRS)
def test_exchanging_the_runs_mirrors_the_comparison(name: str) -> None:
    baseline, candidate = PAIRS[name]
    forth, back = compare_paths(baseline, candidate), compare_paths(candidate, baseline)
    verdict = forth.headline.verdict
    assert back.headline.verdict == VERDICTS.get(verdict, verdict)
    assert by_metric(back) == {
        metric: (new, old, None if difference is None else -difference)
        for metric, (old, new, difference) in by_metric(forth).items()
    }
    for one, other in zip(forth.deltas, back.deltas, strict=True):
        if one.interval is not None:
            assert other.interval is not None
            assert tuple(other.interval) == (-one.interval[1], -one.interval[0])
    assert (back.steps.baseline, back.steps.candidate) == (forth.steps.candidate, forth.steps.baseline)
    assert in_order([mirrored(g) for g in back.groups]) == in_order(
        [msgspec.structs.replace(g, title="") for g in forth.groups]
    )


@pytest.mark.parametrize("name", PAIRS)
def test_groups_sum_to_the_typical_steps(name: str) -> None:
    comparison = compare_paths(*PAIRS[name])
    summary = comparison.group_summary
    assert sum(g.baseline.time_us for g in comparison.groups) == pytest.approx(summary.baseline_us, abs=1e-6)
    assert sum(g.candidate.time_us for g in comparison.groups) == pytest.approx(
        summary.candidate_us, abs=1e-6
    )
    assert summary.unattributed_share is not None
    assert summary.unattributed_share <= 0.05
