"""The groups of two typical steps: what they hold, say, and sum to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings

from tb_plugin_explain.comparison.groups import MOST_GROUPS, MOST_KERNELS, build_groups, find_groups
from tb_plugin_explain.comparison.matching import match_units
from tb_plugin_explain.comparison.pair import Pair
from tb_plugin_explain.comparison.unit import Unit
from tb_plugin_explain.comparison_schema import FusionGroup, GroupSummary
from tb_plugin_explain.trace.model import Category
from tests.comparison.drawn_units import steps, unit, units
from tests.comparison.real_pairs import PAIRS, real_pair
from tests.comparison.sides import pair_of_files

MOST_UNATTRIBUTED = 0.05


def groups_of(baseline: Sequence[Unit], candidate: Sequence[Unit]) -> tuple[list[FusionGroup], GroupSummary]:
    return build_groups(baseline, candidate, match_units(baseline, candidate), "gpu", None)


def titles(baseline: Sequence[Unit], candidate: Sequence[Unit]) -> set[str]:
    return {group.title for group in groups_of(baseline, candidate)[0]}


def ns(time_us: float) -> int:
    return round(time_us * 1000)


def assert_sums(
    groups: Sequence[FusionGroup], summary: GroupSummary, baseline_ns: int, candidate_ns: int
) -> None:
    """Groups, their kernels and the totals of kinds sum to the steps, to the nanosecond."""
    sides = [(g.baseline, g.candidate) for g in groups]
    for i, wanted in enumerate((baseline_ns, candidate_ns)):
        assert sum(ns(pair[i].time_us) for pair in sides) == wanted
        for pair in sides:
            assert sum(ns(k.time_us) for k in pair[i].kernels) == ns(pair[i].time_us)
            assert sum(k.count for k in pair[i].kernels) == pair[i].events
    assert (ns(summary.baseline_us), ns(summary.candidate_us)) == (baseline_ns, candidate_ns)
    assert sum(ns(t.baseline_us) for t in summary.totals) == baseline_ns
    assert sum(ns(t.candidate_us) for t in summary.totals) == candidate_ns
    for total in summary.totals:
        mine = [g for g in groups if g.kind == total.kind]
        assert sum(g.baseline.events for g in mine) == total.baseline_events
        assert sum(g.candidate.events for g in mine) == total.candidate_events


def test_titles_of_a_compiled_step() -> None:
    baseline = units(
        "gemm < mm", "a < add", "m < mul", "r < clamp_min relu", "g < gelu", "s < sin", "f < foo"
    )
    candidate = units(
        "gemm < mm", "triton_poi_fused_add_mul_relu_0", "triton_poi_fused_gelu_1", "triton_poi_fused_erf_2",
        "Memcpy DtoD (Device -> Device) < clone", "f2 < foo", "k",
    )  # fmt: skip
    assert titles(baseline, candidate) == {
        "mm: the same kernel, gemm",
        "add, mul and relu run as one generated kernel",
        "gelu runs as a generated kernel",
        "The generated kernel triton_poi_fused_erf is new",
        "sin is gone",
        "Memcpy DtoD (Device -> Device) of clone is new",
        "foo: other kernels do this work",
        "k: the trace tells no operator for it",
    }
    assert "add, mul and relu run apart; they were one generated kernel" in titles(candidate, baseline)
    assert "gelu was a generated kernel and is one no longer" in titles(candidate, baseline)


def test_titles_of_merged_operators() -> None:
    baseline, candidate = units("gemm < mm", "a < add"), units("gemm < addmm")
    assert titles(baseline, candidate) == {"mm and add became addmm; the GPU kernel stayed", "add is gone"}
    assert "addmm became mm and add; the GPU kernel stayed" in titles(candidate, baseline)


def test_copies_and_memsets_are_called_no_kernels() -> None:
    fill = unit(0, "Memset (Device)", "mm", kind=Category.MEMSET)
    pinned, on_device = "Memcpy DtoH (Device -> Pinned) < item", "Memcpy DtoD (Device -> Device) < item"
    assert titles([fill], [fill]) == {"mm: the same Memset (Device)"}
    assert titles(units(pinned), units(on_device)) == {"item: other copies do this work"}
    with_fill = [*units("gemm2 < mm"), unit(1, "Memset (Device)", "mm", kind=Category.MEMSET)]
    assert "mm: other kernels do this work" in titles(units("gemm < mm"), with_fill)


def test_one_group_a_generated_name() -> None:
    baseline = units("a < add", "m < mul", "gemm < mm", "a < add", "m < mul")
    candidate = units("triton_poi_fused_add_mul_0", "gemm < mm", "triton_poi_fused_add_mul_5")
    (fused,) = [g for g in groups_of(baseline, candidate)[0] if g.kind == "fused"]
    assert (fused.baseline.events, fused.candidate.events) == (4, 2)
    assert [(k.name, k.count, k.ops) for k in fused.baseline.kernels] == [
        ("a", 2, ("add",)),
        ("m", 2, ("mul",)),
    ]
    assert fused.confidence == "clear"


def test_the_larger_side_orders() -> None:
    baseline = [unit(0, "small", "a", time_ns=1000), unit(1, "large", "b", time_ns=2000)]
    candidate = [unit(0, "small", "a", time_ns=5000), unit(1, "large", "b", time_ns=2000)]
    assert [g.baseline.kernels[0].name for g in groups_of(baseline, candidate)[0]] == ["small", "large"]


def test_bytes_of_copies() -> None:
    copy = unit(0, "Memcpy DtoD (Device -> Device)", "addmm", bytes=4096)
    groups, _ = groups_of([], [copy, unit(1, "k", "add")])
    assert {g.title: g.candidate.bytes for g in groups} == {
        "Memcpy DtoD (Device -> Device) of addmm is new": 4096,
        "add is new": None,
    }


def test_of_operators_of_the_cpu() -> None:
    cpu = {"kind": Category.CPU_OP}
    baseline = [unit(0, "aten::mm", "mm", **cpu), unit(1, "aten::add", "add", **cpu)]
    candidate = [unit(0, "aten::mm", "mm", **cpu), unit(1, "graph_0_cpp_fused_add_0", **cpu)]
    groups, _ = groups_of(baseline, candidate)
    assert {g.kind for g in groups} == {"unchanged", "fused"}


def test_strange_names_are_short_plain_text() -> None:
    name = "<script>" * 100
    (title,) = titles(units(f"{name} < {'x' * 500}"), [])
    assert len(title) < 80


def test_smaller_groups_are_folded() -> None:
    baseline = [unit(i, f"kernel{i}", f"op{i}", time_ns=1000 + i) for i in range(MOST_GROUPS + 50)]
    groups, summary = groups_of(baseline, baseline[:10])
    assert len(groups) <= MOST_GROUPS
    folded = next(g for g in groups if "smaller groups" in g.title and g.kind == "removed")
    assert folded.title == "47 smaller groups of removed work"
    assert len(folded.baseline.kernels) == MOST_KERNELS
    assert_sums(groups, summary, sum(u.time_ns for u in baseline), sum(u.time_ns for u in baseline[:10]))


def test_machinery_counts_in_a_folded_group_too() -> None:
    small = {"kind": Category.CPU_OP, "time_ns": 7}
    machinery = [unit(0, "Pregraph bytecode", **small), unit(1, "TorchDynamo Cache Lookup", **small)]
    work = [unit(i, f"aten::op{i}", f"op{i}", kind=Category.CPU_OP) for i in range(2, MOST_GROUPS + 50)]
    groups, summary = groups_of([], [*machinery, *work])
    assert not any("machinery" in group.title for group in groups)
    assert (summary.baseline_machinery_us, summary.candidate_machinery_us) == (0, 0.014)


def test_nothing_on_both_sides() -> None:
    groups, summary = groups_of([], [])
    assert (groups, summary.totals, summary.unattributed_share) == ([], [], None)


@given(steps(), steps())
@settings(max_examples=100, deadline=None, phases=(Phase.explicit, Phase.generate))
def test_groups_sum_to_the_steps_and_mirror(baseline: list[Unit], candidate: list[Unit]) -> None:
    groups, summary = groups_of(baseline, candidate)
    assert_sums(groups, summary, sum(u.time_ns for u in baseline), sum(u.time_ns for u in candidate))
    other = {"removed": "added", "added": "removed"}
    there = sorted(repr((other.get(g.kind, g.kind), g.candidate, g.baseline, g.confidence)) for g in groups)
    mirrored, _ = groups_of(candidate, baseline)
    assert sorted(repr((g.kind, g.baseline, g.candidate, g.confidence)) for g in mirrored) == there


def step_ns(pair: Pair) -> tuple[int, int]:
    """Summed durations of the GPU events of both typical steps, straight from the rows."""
    sums = []
    for side in pair.sides:
        assert side.typical is not None
        gpu = side.run.recording.gpu
        here = side.run.recording.step_of_gpu == side.typical
        sums.append(int((gpu.end_ns - gpu.start_ns)[here].sum()))
    return sums[0], sums[1]


def test_the_tutorial_pair(shared_cases: Path) -> None:
    case = shared_cases / "T02-tutorial-4096-pair"
    pair = pair_of_files(next((case / "eager").glob("*.json")), next((case / "compiled").glob("*.json")))
    groups, summary = find_groups(pair)
    assert [(g.kind, g.title, g.baseline.time_us, g.candidate.time_us, g.confidence) for g in groups] == [
        ("dispatch_fused", "mm and add became addmm; the GPU kernel stayed", 579.0, 585.0, "clear"),
        ("removed", "add is gone", 62.0, 0.0, "likely"),
        ("added", "Memcpy DtoD (Device -> Device) of addmm is new", 0.0, 33.0, "likely"),
    ]
    assert groups[2].candidate.bytes == 33554432
    assert (summary.baseline_us, summary.candidate_us) == (641.0, 618.0)
    assert summary.unattributed_share == 0


def test_a_graph_captured_in_the_recording_is_told_apart(shared_traces: Path) -> None:
    """The compiled image encoder of samfast runs as one graph of 558 events: 32 layers, read by hand."""
    groups, summary = find_groups(real_pair(shared_traces, "samfast"))
    assert summary.unattributed_share == 0
    found = {g.title: (g.baseline.events, g.candidate.events) for g in groups if g.kind == "fused"}
    assert found["gelu runs as a generated kernel"] == (32, 32)
    assert found["bmm runs as a generated kernel"] == (64, 64)
    gemms = next(g for g in groups if g.title == "addmm and mm: other kernels do this work")
    assert (gemms.baseline.events, gemms.candidate.events) == (120, 120)


def test_graph_launches_against_the_same_kernels_launched_one_by_one(shared_traces: Path) -> None:
    _, summary = find_groups(real_pair(shared_traces, "luatil"))
    assert {t.kind: (t.baseline_events, t.candidate_events) for t in summary.totals} == {
        "unchanged": (202, 202),
        "replaced": (46, 46),
        "added": (0, 4),
    }


@pytest.mark.parametrize("name", PAIRS)
def test_real_pairs(shared_traces: Path, name: str) -> None:
    pair = real_pair(shared_traces, name)
    groups, summary = find_groups(pair)
    assert_sums(groups, summary, *step_ns(pair))
    assert summary.unattributed_share is not None
    assert summary.unattributed_share <= MOST_UNATTRIBUTED
    same, totals = find_groups(Pair(pair.baseline, pair.baseline))
    assert [t.kind for t in totals.totals] == ["unchanged"]
    assert all(g.baseline == g.candidate for g in same)
