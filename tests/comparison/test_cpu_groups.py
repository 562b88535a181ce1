"""Groups of runs without GPU work, on recordings: what was compiled, and what stayed."""

from __future__ import annotations

import pytest

from tb_plugin_explain.comparison.build import make_side
from tb_plugin_explain.comparison.compile_facts import find_compile_facts
from tb_plugin_explain.comparison.cpu_groups import find_cpu_groups
from tb_plugin_explain.comparison.pair import Pair
from tb_plugin_explain.comparison_schema import FusionGroup, GroupKind, GroupSummary
from tests.recordings import recording

PAIRS = [
    ("classifier_eager", "classifier_compiled"),
    ("classifier_eager_shapes", "classifier_compiled_shapes"),
    ("classifier_eager", "classifier_kernel_events"),
    ("classifier_eager", "classifier_graph_break"),
    ("classifier_compiled", "classifier_graph_break"),
    ("transformer_eager", "transformer_compiled"),
    ("transformer_eager", "transformer_graph_break"),
    ("transformer_eager", "transformer_recompiled"),
    ("transformer_compiled", "transformer_recompiled"),
    ("transformer_compiled", "transformer_reduce_overhead"),
]
NODE = "autograd::engine::evaluate_function: CompiledFunctionBackward"
MIRRORED: dict[GroupKind, GroupKind] = {"removed": "added", "added": "removed"}


def groups_of(baseline: str, candidate: str) -> tuple[list[FusionGroup], GroupSummary]:
    sides = make_side("baseline", recording(baseline)), make_side("candidate", recording(candidate))
    return find_cpu_groups(Pair(*sides))


def by_kind(groups: list[FusionGroup]) -> dict[GroupKind, tuple[int, int]]:
    """Events of both sides."""
    found: dict[GroupKind, tuple[int, int]] = {}
    for group in groups:
        before = found.get(group.kind, (0, 0))
        found[group.kind] = (before[0] + group.baseline.events, before[1] + group.candidate.events)
    return found


@pytest.mark.parametrize(("baseline", "candidate"), PAIRS)
def test_all_time_is_in_groups_and_none_is_unattributed(baseline: str, candidate: str) -> None:
    groups, summary = groups_of(baseline, candidate)
    assert summary.of == "cpu"
    assert summary.unattributed_share == 0.0
    assert sum(group.baseline.time_us for group in groups) == pytest.approx(summary.baseline_us)
    assert sum(group.candidate.time_us for group in groups) == pytest.approx(summary.candidate_us)


@pytest.mark.parametrize(("baseline", "candidate"), PAIRS)
def test_exchanging_the_runs_exchanges_the_sides(baseline: str, candidate: str) -> None:
    there, back = by_kind(groups_of(baseline, candidate)[0]), by_kind(groups_of(candidate, baseline)[0])
    assert {MIRRORED.get(kind, kind): (new, old) for kind, (old, new) in back.items()} == there


def test_what_vanished_runs_inside_the_compiled_graph() -> None:
    groups, summary = groups_of("classifier_eager", "classifier_compiled")
    (fused,) = [group for group in groups if group.kind == "fused"]
    assert fused.title.startswith("gelu, ")
    assert fused.title.endswith("run inside the compiled graph")
    assert fused.confidence == "likely"
    assert (fused.baseline.events, fused.candidate.events) == (74, 2)
    assert {"aten::gelu", "aten::gelu_backward"} <= {kernel.name for kernel in fused.baseline.kernels}
    # What is new is the machinery around the graphs, and nothing is gone without a counterpart.
    kinds = by_kind(groups)
    assert kinds == {"unchanged": (85, 85), "fused": (74, 2), "added": (0, 9)}
    assert "TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE" in (summary.note or "")


def test_compiled_graphs_are_unchanged_by_their_keys_alone() -> None:
    """Compiled again for another batch, the network runs the same code in all other steps."""
    recompiled, _ = groups_of("transformer_compiled", "transformer_recompiled")
    assert {group.kind for group in recompiled} == {"unchanged"}
    other_mode, _ = groups_of("transformer_compiled", "transformer_reduce_overhead")
    others = [group for group in other_mode if group.kind != "unchanged"]
    assert {(g.kind, g.title, g.confidence) for g in others} == {
        ("replaced", "The code of a compiled graph: another graph does this work", "likely")
    }
    assert [(g.baseline.events, g.candidate.events) for g in others] == [(1, 1), (1, 1)]


def test_events_of_generated_kernels_tell_what_was_fused() -> None:
    groups, _ = groups_of("classifier_eager", "classifier_kernel_events")
    fused = {group.candidate.kernels[0].name: group for group in groups if group.kind == "fused"}
    gelu = fused["graph_2_cpp_fused_gelu_0"]
    assert (gelu.confidence, gelu.baseline.events, gelu.candidate.events) == ("clear", 2, 2)
    assert [kernel.name for kernel in gelu.baseline.kernels] == ["aten::gelu"]
    backward = [name for name in fused if "gelu_backward" in name]
    assert {k.name for name in backward for k in fused[name].baseline.kernels} >= {"aten::gelu_backward"}


@pytest.mark.parametrize(
    ("baseline", "candidate"),
    [("classifier_eager", "classifier_compiled"), ("transformer_eager", "transformer_compiled")],
)
def test_machinery_is_the_compile_tax_and_the_node_that_calls_the_backward_pass(
    baseline: str, candidate: str
) -> None:
    sides = make_side("baseline", recording(baseline)), make_side("candidate", recording(candidate))
    groups, summary = find_cpu_groups(Pair(*sides))
    (machinery,) = [group for group in groups if group.title.startswith("torch.compile’s own machinery")]
    (node,) = [kernel for kernel in machinery.candidate.kernels if kernel.name == NODE]
    facts = find_compile_facts(sides[1], None)
    assert facts is not None
    assert facts.tax_us is not None
    assert machinery.candidate.time_us == pytest.approx(facts.tax_us + node.time_us)
    assert not any("CompiledFunctionBackward" in group.title for group in groups)
    assert (summary.baseline_machinery_us, summary.candidate_machinery_us) == (0, machinery.candidate.time_us)


def test_machinery_of_both_sides_is_no_work_without_counterpart() -> None:
    _, summary = groups_of("classifier_compiled", "classifier_compiled")
    assert (summary.baseline_machinery_us, summary.candidate_machinery_us) == (0, 0)


def test_a_graph_break_makes_more_graphs_and_more_machinery() -> None:
    kinds = by_kind(groups_of("classifier_compiled", "classifier_graph_break")[0])
    assert set(kinds) == {"unchanged", "replaced", "added"}


def test_a_run_compared_with_itself_is_unchanged() -> None:
    for name in ("classifier_compiled", "transformer_eager"):
        groups, summary = groups_of(name, name)
        assert {group.kind for group in groups} == {"unchanged"}
        assert all(group.baseline == group.candidate for group in groups)
        assert summary.baseline_us == summary.candidate_us
    assert "compiled graph" not in (groups_of("classifier_eager", "classifier_eager")[1].note or "")
