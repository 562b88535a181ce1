"""Each comparison rule fires, stays quiet, and says what it cannot tell."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tb_plugin_explain.comparison.rule_run import run_comparison_rules
from tb_plugin_explain.comparison.rules import all_comparison_rules
from tb_plugin_explain.comparison_schema import Change, CompileTax, GraphBreak, GroupKernel
from tb_plugin_explain.findings import NotMeasured
from tb_plugin_explain.trace.model import Trace
from tests.comparison.rules.asking import NO_FACTS, ask, compared, found, group, rows, summary_of
from tests.comparison.sides import GPU_BOUND, HOST_BOUND, pair_of
from tests.trace_drawing import draw

KERNELS = dict.fromkeys("abcd", "kernel")
GENERATED = dict.fromkeys("abcd", "triton_poi_fused_add_relu_0")
RECOMPILES = """
    step:[1          ][2          ][3          ][4          ]
    cpu :[a]          [b]          [compile][c] [d]
    s7  :  [a ]         [b ]                 [c ][d ]
"""
GRAPHS = """
    step:[1                   ][2                   ]
    cpu :[cudaGraphLaunch a]   [cudaGraphLaunch b]
    s7  :           [a ]                  [b ]
"""
SEVERAL = """
    step:[1         ]
    cpu :[a][b][c]
    s7  :  [a][b][c]
"""
TAXED = replace(NO_FACTS, tax_us=9.0, tax=CompileTax(5.0, 3.0, 1.0))


def host(us: int = 10, names: dict[str, str] = KERNELS) -> Trace:
    return draw(HOST_BOUND, us=us, names=names)


def gpu(us: int = 10, names: dict[str, str] = KERNELS) -> Trace:
    return draw(GPU_BOUND, us=us, names=names)


HOST_PAIR = pair_of(host(), host(names=GENERATED))
GPU_PAIR = pair_of(gpu(), gpu(names=GENERATED))


def test_a_tax_that_the_cpu_bound_run_pays_is_to_mend() -> None:
    finding = found("compile-tax", compared(HOST_PAIR, compile=TAXED))
    assert (finding.verdict, finding.at_stake_us) == ("fix", 9.0)
    assert "9.00 µs on the CPU, 9.00 % of its pace" in finding.text
    assert rows(finding) == [["cache lookup", 5.0], ["prologue", 3.0], ["wrapper", 1.0]]


def test_a_tax_that_a_busy_gpu_hides_is_expected() -> None:
    finding = found("compile-tax", compared(GPU_PAIR, compile=TAXED))
    assert (finding.verdict, finding.at_stake_us, finding.looks_like_us) == ("expected", 0.0, 9.0)
    assert "does not notice" in finding.text


def test_a_tax_of_a_faster_run_is_expected() -> None:
    pair = pair_of(host(us=20), host(names=GENERATED))
    assert found("compile-tax", compared(pair, compile=TAXED)).verdict == "expected"


def test_a_small_tax_and_an_eager_run_say_nothing_and_a_hidden_path_is_not_measured() -> None:
    small = replace(NO_FACTS, tax_us=1.9, tax=CompileTax(1.9, 0.0, 0.0))
    assert ask("compile-tax", compared(HOST_PAIR, compile=small)) == []
    assert ask("compile-tax", compared(HOST_PAIR)) == []
    with pytest.raises(NotMeasured, match="compiled path"):
        ask("compile-tax", compared(HOST_PAIR, compile=NO_FACTS))


def test_merged_operators_without_a_generated_kernel_are_no_fusion() -> None:
    merged = group("dispatch_fused", 580.0, 580.0, "aten::mm and aten::add became aten::addmm")
    finding = found("dispatch-fusion-only", compared(HOST_PAIR, [merged, group("removed", 60.0, 0.0)]))
    assert finding.verdict == "expected"
    assert finding.text.startswith("aten::mm and aten::add became aten::addmm (580 µs → 580 µs). ")
    assert finding.text.endswith("Beside it a group (60.0 µs). Launches: 1 → 1.")
    assert ask("dispatch-fusion-only", compared(HOST_PAIR, [merged, group("fused", 9.0, 5.0)])) == []
    assert ask("dispatch-fusion-only", compared(HOST_PAIR, [group("unchanged", 9.0, 9.0)])) == []


def test_a_step_that_compiled_again_is_named_with_what_it_cost() -> None:
    plain = draw(RECOMPILES.replace("[compile]", "         "), us=10, names=KERNELS)
    pair = pair_of(plain, draw(RECOMPILES, us=10, names=KERNELS))
    finding = found("recompiling", compared(pair, compile=replace(NO_FACTS, recompiles=1)))
    assert (finding.verdict, finding.step) == ("fix", 3)
    assert finding.text.startswith("Step 3 of the candidate compiled again")
    assert rows(finding) == [[3, 130.0]]
    assert ask("recompiling", compared(pair, compile=NO_FACTS)) == []
    assert ask("recompiling", compared(pair)) == []


def test_graph_breaks_are_listed_with_what_runs_between() -> None:
    cut = GraphBreak("0/0", "1/0", 12.5, ["aten::item", "aten::mul"], "net.py(12): forward")
    facts = replace(NO_FACTS, graph_breaks=1, breaks=[cut])
    finding = found("graph-breaks", compared(HOST_PAIR, compile=facts))
    assert finding.title == "The compiled code is cut once in a step"
    assert finding.at_stake_us is None
    assert rows(finding) == [["0/0 → 1/0", "net.py(12): forward", "aten::item and aten::mul", 12.5]]
    assert ask("graph-breaks", compared(HOST_PAIR, compile=NO_FACTS)) == []


def test_slower_kernels_are_summed_and_promise_time_only_where_the_gpu_sets_the_pace() -> None:
    groups = [
        group("fused", 50.0, 70.0, "add"),
        group("replaced", 30.0, 10.0, "mm"),
        group("unchanged", 1.0, 90.0, "other"),
    ]
    finding = found("slower-kernels", compared(GPU_PAIR, groups))
    assert (finding.verdict, finding.at_stake_us) == ("undecided", 20.0)
    assert rows(finding) == [["add", 50.0, 70.0]]
    assert found("slower-kernels", compared(HOST_PAIR, groups)).at_stake_us is None
    assert ask("slower-kernels", compared(GPU_PAIR, [group("fused", 50.0, 54.9)])) == []


def test_time_of_slower_kernels_never_exceeds_the_step() -> None:
    finding = found("slower-kernels", compared(GPU_PAIR, [group("fused", 50.0, 5e6)]))
    assert finding.at_stake_us == 110.0


def test_a_new_limit_is_told_and_the_same_one_is_not() -> None:
    to_gpu = found("other-bound", compared(pair_of(host(), gpu())))
    assert (to_gpu.verdict, to_gpu.title) == (
        "expected",
        "What sets the pace changed from the CPU to the GPU",
    )
    assert found("other-bound", compared(pair_of(gpu(), host()))).verdict == "undecided"
    assert ask("other-bound", compared(HOST_PAIR)) == []


def test_each_new_limit_has_advice_of_its_own() -> None:
    nccl = dict.fromkeys("abcd", "ncclDevKernel_AllReduce_Sum_f16_RING_LL")
    to_communication = found("other-bound", compared(pair_of(host(), gpu(names=nccl))))
    assert to_communication.title.endswith("from the CPU to communication")
    assert "Compare the ranks first" in to_communication.advice
    copies = dict.fromkeys("abcd", "Memcpy HtoD (Pinned -> Device)")
    assert "copies" in found("other-bound", compared(pair_of(host(), gpu(names=copies)))).advice
    assert "faster kernels win nothing" in found("other-bound", compared(pair_of(gpu(), host()))).advice


def test_without_gpu_work_the_limit_is_not_known() -> None:
    cpu = draw("""
        step:[1       ][2       ]
        cpu :[op ]     [op ]
    """)
    with pytest.raises(NotMeasured, match="both sides"):
        ask("other-bound", compared(pair_of(cpu, cpu)))


def test_much_work_without_counterpart_is_other_work() -> None:
    groups = [group("unchanged", 60.0, 60.0), group("removed", 40.0, 0.0), group("added", 0.0, 5.0)]
    finding = found("different-work", compared(HOST_PAIR, groups))
    assert finding.verdict == "undecided"
    assert "40.0 % of the baseline’s time and 7.69 % of the candidate’s" in finding.text
    assert ask("different-work", compared(HOST_PAIR, [group("unchanged", 60.0, 60.0)])) == []
    with pytest.raises(NotMeasured, match="no recorded work"):
        ask("different-work", compared(HOST_PAIR))


def test_machinery_of_torch_compile_is_no_other_work() -> None:
    groups = [group("unchanged", 60.0, 60.0), group("added", 0.0, 40.0)]
    assert ask("different-work", compared(HOST_PAIR, groups))
    with_machinery = replace(
        compared(HOST_PAIR, groups), summary=summary_of(groups, machinery_us=(0.0, 35.0))
    )
    assert ask("different-work", with_machinery) == []


def test_unchanged_work_of_another_time_is_told() -> None:
    groups = [group("unchanged", 60.0, 30.0, "mm"), group("fused", 40.0, 10.0)]
    finding = found("unchanged-work", compared(HOST_PAIR, groups))
    assert (finding.verdict, finding.at_stake_us) == ("undecided", None)
    assert finding.title == "Work that did not change took 50.0 % less time"
    assert "take 60.0 µs in the baseline’s typical step and 30.0 µs in the candidate’s" in finding.text
    assert rows(finding) == [["mm", 60.0, 30.0]]
    back = [group("unchanged", 30.0, 60.0)]
    assert "100 % more" in found("unchanged-work", compared(HOST_PAIR, back)).title


def test_unchanged_work_that_strays_little_or_is_little_is_not_told() -> None:
    strays = [group("unchanged", 60.0, 51.0)]
    small = [group("unchanged", 9.0, 1.0), group("fused", 91.0, 50.0)]
    for groups in (strays, small, [group("added", 0.0, 50.0)]):
        assert ask("unchanged-work", compared(HOST_PAIR, groups)) == []


def test_communication_and_other_devices_are_no_unchanged_work() -> None:
    slower = group("unchanged", 30.0, 60.0)
    kernels = [GroupKernel("ncclDevKernel_AllReduce_Sum_f16_RING_LL", 1, 30.0, [])]
    waiting = replace(slower, baseline=replace(slower.baseline, kernels=kernels))
    assert ask("unchanged-work", compared(HOST_PAIR, [waiting])) == []
    other_device = replace(compared(HOST_PAIR, [slower]), changes=[Change("device", "A", "B")])
    assert ask("unchanged-work", other_device) == []


def test_work_whose_launch_was_lost_is_told_by_side() -> None:
    lost = draw(HOST_BOUND + "    s8  :                    [x       ]\n", us=10, names=KERNELS)
    finding = found("work-in-no-step", compared(pair_of(host(), lost)))
    assert (finding.verdict, rows(finding)) == ("undecided", [["candidate", 1, 100.0]])
    assert "in the candidate 100 µs (38.5 % of its GPU time)" in finding.text
    assert ask("work-in-no-step", compared(HOST_PAIR)) == []


def test_work_queued_before_the_recording_and_files_without_launches_lack_nothing() -> None:
    queued = draw(HOST_BOUND + "    s7  :[x]\n", us=10, names=KERNELS)
    assert ask("work-in-no-step", compared(pair_of(host(), queued))) == []
    free = draw("""
        step:[1       ][2       ]
        cpu :[op ]     [op ]
        s7  :  [x ]      [y ]
    """)
    assert ask("work-in-no-step", compared(pair_of(free, free))) == []


def test_graph_replays_are_named_where_the_baseline_had_none() -> None:
    facts = replace(NO_FACTS, graph_launches=2)
    many = draw(SEVERAL, us=10, names=KERNELS)
    finding = found("graph-replay", compared(pair_of(many, host()), compile=facts))
    assert finding.verdict == "expected"
    assert finding.text.startswith("The baseline launches 3 times a step, the candidate 1.")
    assert [[type(cell) for cell in row] for row in rows(finding)] == [[str, int, int]] * 2
    assert ask("graph-replay", compared(HOST_PAIR, compile=facts)) == []
    assert finding.title.startswith("2 graph launches a step")
    assert ask("graph-replay", compared(HOST_PAIR, compile=NO_FACTS)) == []
    assert ask("graph-replay", compared(pair_of(draw(GRAPHS), draw(GRAPHS)), compile=facts)) == []


def test_a_rule_that_fails_costs_its_own_answer_only() -> None:
    broken = replace(compared(HOST_PAIR, compile=TAXED), deltas={})
    cut = replace(NO_FACTS, graph_breaks=1, graph_launches=1)
    findings, outcomes = run_comparison_rules(replace(broken, compile=cut))
    by_rule = {outcome.rule: outcome.outcome for outcome in outcomes}
    assert by_rule["graph-replay"] == "failed"
    assert "graph-breaks" in {finding.rule for finding in findings}


def test_rules_are_many_and_each_has_an_id_of_its_own() -> None:
    ids = [rule.id for rule in all_comparison_rules()]
    assert len(ids) == len(set(ids)) >= 7
