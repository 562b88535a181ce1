"""Which units of two steps are one piece of work."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import Phase, given, settings

from tb_plugin_explain.comparison.evidence_of_names import operators_of
from tb_plugin_explain.comparison.match import Match
from tb_plugin_explain.comparison.matching import match_units
from tb_plugin_explain.comparison.unit import Unit
from tb_plugin_explain.comparison_schema import GroupKind
from tb_plugin_explain.trace.model import Category
from tests.comparison.drawn_units import steps, unit, units
from tests.comparison.fusion_simulator import SimulatedPair, draw_pair

PAIRS = 200
RIGHT_SHARE = 0.95
# Without what stayed as it was: only generated kernels, what went into them, and what is gone.
RIGHT_SHARE_OF_FUSED = 0.92


def kinds(matches: Sequence[Match]) -> list[tuple[str, tuple[int, ...], tuple[int, ...]]]:
    return sorted((m.kind, tuple(m.baseline), tuple(m.candidate)) for m in matches)


def mirrored(matches: Sequence[Match]) -> list[Match]:
    other: dict[GroupKind, GroupKind] = {"removed": "added", "added": "removed"}
    return [
        Match(other.get(m.kind, m.kind), m.candidate, m.baseline, m.ops, m.confidence, m.why) for m in matches
    ]


def test_the_same_kernel_is_unchanged_whatever_its_number() -> None:
    baseline = units("gemm < mm", "triton_poi_fused_add_0", "add_kernel < add")
    candidate = units("triton_poi_fused_add_5", "gemm < mm", "add_kernel < add")
    found = match_units(baseline, candidate)
    assert kinds(found) == [("unchanged", (0,), (1,)), ("unchanged", (1,), (0,)), ("unchanged", (2,), (2,))]
    assert {m.confidence for m in found} == {"clear"}


def test_of_equal_kernels_those_in_the_same_place_stay() -> None:
    baseline = units("gemm < mm", "add_kernel < add", "add_kernel < add", "gemm2 < bmm", "add_kernel < add")
    candidate = units("gemm < mm", "gemm2 < bmm", "add_kernel < add")
    found = match_units(baseline, candidate)
    assert ("unchanged", (4,), (2,)) in kinds(found)
    assert [m.baseline for m in found if m.kind == "removed"] == [(1,), (2,)]


def test_backward_goes_with_backward() -> None:
    baseline = [unit(0, "k", "add", phase="forward"), unit(1, "k", "add", phase="backward")]
    candidate = [unit(0, "k", "add", phase="backward")]
    assert kinds(match_units(baseline, candidate)) == [("removed", (0,), ()), ("unchanged", (1,), (0,))]


def test_what_one_call_launched_is_replaced_together() -> None:
    call = {"calls": (7,)}
    baseline = [unit(0, "gemm", "mm", **call), unit(1, "splitK", "mm", **call)]
    candidate = units("gemm2 < mm")
    (match,) = match_units(baseline, candidate)
    assert (match.kind, match.baseline, match.candidate, match.ops) == ("replaced", (0, 1), (0,), ("mm",))


def test_a_shared_operator_further_out_is_enough() -> None:
    outer = {"calls": (1, 0)}
    baseline = [
        unit(0, "a", "bmm", "attention", **outer),
        unit(1, "b", "_softmax", "attention", calls=(2, 0)),
    ]
    candidate = units("flash < _flash attention")
    (match,) = match_units(baseline, candidate)
    assert (match.kind, match.ops, match.confidence) == ("replaced", ("attention",), "likely")


def test_attention_step_by_step_and_in_one_kernel() -> None:
    baseline = units("gemm < bmm", "d < div", "s < _softmax", "gemm < bmm", "gemm < addmm")
    flash = unit(0, "flash", "_flash_attention_forward", operation="attention")
    candidate = [flash, unit(1, "gemm2", "addmm")]
    found = match_units(baseline, candidate)
    assert kinds(found) == [("replaced", (0, 1, 2, 3), (0,)), ("replaced", (4,), (1,))]


def test_equal_shapes_go_together() -> None:
    baseline = [unit(0, "gemm", "mm", shape="[[2, 2]]"), unit(1, "gemm", "mm", shape="[[4, 4]]")]
    candidate = [unit(0, "gemm2", "mm", shape="[[4, 4]]"), unit(1, "gemm2", "mm", shape="[[2, 2]]")]
    assert kinds(match_units(baseline, candidate)) == [("replaced", (0,), (1,)), ("replaced", (1,), (0,))]


def test_merged_operators_whose_kernel_stayed() -> None:
    baseline = units("gemm < mm matmul", "add_kernel < add")
    candidate = units("Memcpy DtoD (Device -> Device) < addmm", "gemm < addmm")
    found = match_units(baseline, candidate)
    assert kinds(found) == [("added", (), (0,)), ("dispatch_fused", (0,), (1,)), ("removed", (1,), ())]
    assert next(m.ops for m in found if m.kind == "dispatch_fused") == ("mm", "add", "addmm")


def test_a_generated_kernel_stands_for_the_operators_of_its_name() -> None:
    baseline = units("gemm < mm", "a < add", "m < mul", "r < clamp_min relu", "c < sin")
    candidate = units("gemm < mm", "triton_poi_fused_add_mul_relu_view_0")
    found = match_units(baseline, candidate)
    fused = next(m for m in found if m.kind == "fused")
    assert (fused.baseline, fused.candidate, fused.ops) == ((1, 2, 3), (1,), ("add", "mul", "relu"))
    assert fused.confidence == "clear"
    assert ("removed", (4,), ()) in kinds(found)


def test_each_kernel_finds_each_operator_once() -> None:
    baseline = units("a < add", "m < mul", "a < add", "m < mul", "a < add", "m < mul")
    candidate = units(*(f"triton_poi_fused_add_mul_{i}" for i in range(3)))
    fused = [m.baseline for m in match_units(baseline, candidate)]
    assert fused == [(0, 1), (2, 3), (4, 5)]


def test_operators_out_of_order_still_find_their_kernel() -> None:
    baseline = units("m < mul", "a < add", "e < exp", "a < add")
    candidate = units("triton_poi_fused_add_exp_0", "triton_poi_fused_add_mul_1")
    fused = {m.candidate: m.baseline for m in match_units(baseline, candidate)}
    assert fused == {(0,): (1, 2), (1,): (0, 3)}


def test_a_matrix_multiply_goes_to_its_like_first() -> None:
    baseline = units("gemm < addmm linear", "r < relu")
    candidate = units("gemm2 < mm", "triton_poi_fused_addmm_relu_0")
    found = match_units(baseline, candidate)
    assert kinds(found) == [("fused", (1,), (1,)), ("replaced", (0,), (0,))]


def test_a_matrix_multiply_goes_into_a_reduction_where_nothing_else_is() -> None:
    (match,) = match_units(units("gemm < mm"), units("triton_per_fused_mm_0"))
    assert (match.kind, match.ops) == ("fused", ("mm",))


def test_one_kernel_does_not_stand_for_a_whole_model() -> None:
    baseline = units(*["a < add"] * 100)
    found = match_units(baseline, units("triton_poi_fused_add_0"))
    assert [len(m.baseline) for m in found if m.kind == "fused"] == [16]


def test_copies_from_the_host_are_in_no_generated_kernel() -> None:
    baseline = units("Memcpy HtoD (Pageable -> Device) < copy _to_copy", "k < copy _to_copy")
    found = match_units(baseline, units("triton_poi_fused__to_copy_0"))
    assert kinds(found) == [("fused", (1,), (0,)), ("removed", (0,), ())]


@pytest.mark.parametrize(
    ("copy", "inside"),
    [
        ("Memcpy DtoD (Device -> Device)", True),
        ("CopyDeviceToDevice", True),
        ("Memcpy DtoA (Device -> Array)", True),
        ("CopyHostToDevice", False),
        ("Memcpy PtoP (Device -> Device)", False),
    ],
)
def test_copies_within_a_device_are_work_of_their_operator(copy: str, inside: bool) -> None:
    found = operators_of(unit(0, copy, "copy", kind=Category.MEMCPY))
    assert found == (("copy",) if inside else ())


def test_in_graph_launches_the_name_tells_the_operation() -> None:
    baseline, candidate = units("gemm < mm", "x < foo"), units("gemm2", "y")
    found = match_units(baseline, candidate)
    assert kinds(found) == [("removed", (1,), ()), ("replaced", (0,), (0,)), ("unattributed", (), (1,))]


def test_two_compiled_steps_share_operators() -> None:
    (match,) = match_units(units("triton_poi_fused_add_mul_0"), units("triton_poi_fused_add_exp_mul_0"))
    assert match.kind == "replaced"


def test_what_is_compiled_on_the_other_side_only_is_fused_too() -> None:
    baseline = units("triton_poi_fused_gelu_mul_0", "s < sin", "c < cos")
    candidate = units("g < gelu", "m < mul", "triton_poi_fused_cos_sin_0", "gemm < mm")
    found = match_units(baseline, candidate)
    assert kinds(found) == [("added", (), (3,)), ("fused", (0,), (0, 1)), ("fused", (1, 2), (2,))]


@given(steps(), steps())
@settings(max_examples=150, deadline=None, phases=(Phase.explicit, Phase.generate))
def test_each_unit_is_in_one_match_and_the_mirror_is_exact(
    baseline: list[Unit], candidate: list[Unit]
) -> None:
    found = match_units(baseline, candidate)
    assert sorted(i for m in found for i in m.baseline) == list(range(len(baseline)))
    assert sorted(i for m in found for i in m.candidate) == list(range(len(candidate)))
    assert all(bool(m.baseline) == (m.kind != "added") for m in found if m.kind != "unattributed")
    assert all(bool(m.candidate) == (m.kind != "removed") for m in found if m.kind != "unattributed")
    assert match_units(candidate, baseline) == mirrored(found)


@given(steps())
@settings(max_examples=60, deadline=None, phases=(Phase.explicit, Phase.generate))
def test_a_step_and_itself_are_unchanged(step: list[Unit]) -> None:
    found = match_units(step, step)
    assert kinds(found) == sorted(("unchanged", (i,), (i,)) for i in range(len(step)))
    assert all(m.confidence == "clear" for m in found)


def group_of(match: Match, pair: SimulatedPair) -> str:
    """The group of a match in the words of the simulator."""
    if match.kind == "fused":
        return f"fused {pair.compiled[match.candidate[0]].identity}"
    if match.kind == "unchanged":
        return f"unchanged {pair.eager[match.baseline[0]].name}"
    if match.kind == "replaced":
        return f"replaced {match.ops[0]}"
    if match.kind == "added":
        return f"added {pair.compiled[match.candidate[0]].name}"
    return match.kind


def right_times(pair: SimulatedPair) -> list[tuple[int, bool, bool]]:
    """Of each unit: its ns, whether it is in the right group, and whether it was fused or removed."""
    times = []
    for match in match_units(pair.eager, pair.compiled):
        group = group_of(match, pair)
        mine = [(pair.eager[i].time_ns, pair.eager_truth[i]) for i in match.baseline]
        mine += [(pair.compiled[i].time_ns, pair.compiled_truth[i]) for i in match.candidate]
        times += [(time, truth == group, truth.startswith(("fused", "removed"))) for time, truth in mine]
    return times


def test_simulated_fusion_lands_in_the_right_groups() -> None:
    times = [time for seed in range(PAIRS) for time in right_times(draw_pair(seed))]
    share = sum(ns for ns, right, _ in times if right) / sum(ns for ns, _, _ in times)
    fused = [(ns, right) for ns, right, is_fused in times if is_fused]
    of_fused = sum(ns for ns, right in fused if right) / sum(ns for ns, _ in fused)
    print(f"{share:.2%} of GPU time in the right group over {PAIRS} pairs; of fused work {of_fused:.2%}")
    assert share >= RIGHT_SHARE
    assert of_fused >= RIGHT_SHARE_OF_FUSED
