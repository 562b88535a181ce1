"""A comparison as text for a terminal."""

from __future__ import annotations

import io
import re

import pytest
from msgspec.structs import replace
from rich.console import Console

from tb_plugin_explain.compare_text import print_comparison, print_run_comparison
from tb_plugin_explain.comparison_schema import (
    Change,
    ComparedSteps,
    ComparedTrace,
    Comparison,
    CompileFacts,
    GateResult,
    LeftOutStep,
    RunComparison,
    TypicalSteps,
    UnpairedFile,
)
from tb_plugin_explain.findings import Finding, RuleOutcome
from tb_plugin_explain.report_schema import Warning
from tests.comparison.comparison_drawing import (
    COMPILE,
    DELTAS,
    GROUPS,
    comparison,
    delta,
    group,
    headline,
    side,
    summary,
    trace_info,
)

HOSTILE = "[bold]a\x1b[31m\u202e"


def shown(given: Comparison | RunComparison, width: int = 80) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, highlight=False)
    if isinstance(given, Comparison):
        print_comparison(given, console)
    else:
        print_run_comparison(given, console)
    text = "\n".join(line.rstrip() for line in stream.getvalue().splitlines())
    assert max(map(len, text.splitlines())) <= width
    return text


FULL = comparison(
    findings=[Finding("fix", "A finding", "A text.", "Do it.", at_stake_us=12.0, rule="a-rule")],
    rules=[RuleOutcome("b-rule", "Another question", "not_measured", "no shapes were recorded")],
    warnings=[Warning("not_comparable", 1, "Other devices.", "Use the same.")],
    gates=[
        GateResult("pace_us>+5%", "passed", "−23.0 µs (−3.57 %)"),
        GateResult("launches>+1", "not_measured", "could not be measured: no launch"),
    ],
)


@pytest.mark.parametrize("width", [80, 120])
def test_parts_stand_in_the_order_of_their_use(width: int) -> None:
    text = shown(FULL, width)
    parts = (
        "baseline   eager/worker0", "candidate  compiled/worker0", "No difference in pace",
        "Verdict: within noise", "Limits", "passed        pace_us>+5%", "not measured  launches>+1",
        "Changed   compile: eager → compiled", "Compared  steps 3–6",
        "Left out  baseline step 2 (cold start)", "candidate step 2 (compiling, cold start)",
        "\n pace ", "Not measured: peak memory (memory was not recorded).", "Where the GPU’s work went",
        "torch.compile in the candidate", "[worth fixing] A finding  (12.0 µs a step)",
        "Could not be checked", "Warnings",
    )  # fmt: skip
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def row(text: str, name: str) -> list[str]:
    (found,) = [line for line in text.splitlines() if line.startswith(f" {name} ")]
    return found.removeprefix(f" {name}").split("  ")


def cells(text: str, name: str) -> list[str]:
    return [cell.strip() for cell in row(text, name) if cell.strip()]


def test_a_delta_has_its_interval_and_says_what_is_noise() -> None:
    text = shown(FULL)
    assert cells(text, "pace") == ["645 µs", "622 µs", "−23.0 µs", "−684 … +638 µs", "yes"]
    assert cells(text, "GPU busy") == ["641 µs", "618 µs", "−23.0 µs", "−23.0 … −22.0 µs", "no"]
    assert cells(text, "launches") == ["2", "1", "−1", "−1", "no"]
    assert cells(shown(FULL, 120), "pace")[3] == "−3.57 %"


def test_the_widest_figures_fit_into_80_columns() -> None:
    wide = delta("compile_tax_us", 999_000.0, 999_499_000.0, (-16_400.0, 999_000_000.0))
    sizes = delta("peak_memory_bytes", 1023.0 * 2**30, 1023.0 * 2**20, (-1023.0 * 2**30, 1023.0 * 2**20))
    text = shown(comparison(deltas=[wide, sizes]))
    assert "…" not in text.split("Where the GPU")[0].replace(" … ", "")
    for figure in ("999 ms", "+999 s", "−16.4 ms", "1,023 GiB", "+1,023 MiB"):
        assert figure in text


def test_without_an_interval_there_is_a_dash_and_no_verdict_on_noise() -> None:
    text = shown(comparison(deltas=[delta("pace_us", 100.0, 110.0)]))
    assert cells(text, "pace") == ["100 µs", "110 µs", "+10.0 µs", "–", "–"]


def test_a_figure_of_one_side_is_shown_with_the_reason_for_the_other() -> None:
    given = delta("gpu_busy_us", 100.0, None, not_measured="candidate: the trace has no GPU event")
    text = shown(comparison(deltas=[given]))
    assert cells(text, "GPU busy") == ["100 µs", "–", "–", "–", "–"]
    assert "Not measured: GPU busy (candidate: the trace has no GPU event)." in text


def test_groups_stand_by_how_much_they_changed_and_sum_to_the_steps() -> None:
    lines = shown(FULL, 100).splitlines()
    first = lines.index("Where the GPU’s work went: step 6 of the baseline, step 6 of the candidate")
    table = [" ".join(line.split()) for line in lines[first + 1 : first + 6]]
    assert table[1] == "added Copy DtoD of 32 MiB 0 → 1 0 µs 33.0 µs +33.0 µs"
    assert table[2].startswith("fused ")
    assert table[3].startswith("unchanged ")
    assert table[4] == "together 4 → 3 641 µs 648 µs +7.00 µs"


def test_a_narrow_terminal_shows_long_names_whole_and_no_numbers_of_events() -> None:
    name = "void_" * 20
    text = shown(comparison(groups=[group("added", name, candidate=side(123_000.0, 12_345))]))
    table = text.split("Where the GPU’s work went")[1].split("torch.compile")[0]
    assert "".join(re.findall(r"[void_]{9,}", table)) == name
    assert "…" not in table
    assert "12,345" not in table
    wide = shown(comparison(groups=[group("added", name, candidate=side(1.0, 12_345))]), 100)
    assert "12,345" in wide
    told = "Shares of the baseline and numbers of events need 96 columns"
    assert (told in " ".join(text.split()), told in wide) == (True, False)


def test_many_groups_are_cut_short_and_summed_up() -> None:
    many = [group("unchanged", f"kernel_{i}", side(100.0), side(100.0 + i)) for i in range(20)]
    text = shown(comparison(groups=many, group_summary=summary(many)))
    assert "kernel_19" in text
    assert "kernel_7" not in text
    assert "… 8 more groups: 800 µs → 828 µs (+28.0 µs); --format json shows all" in text


def test_how_sure_a_match_is_and_what_is_not_attributed_is_told() -> None:
    groups = [replace(GROUPS[1], confidence="likely")]
    told = replace(summary(groups, "Only the CPU was recorded."), of="cpu", unattributed_share=0.031)
    text = shown(comparison(groups=groups, group_summary=told))
    assert "(likely)" in text
    assert "Where the operators’ CPU time went" in text
    assert "3.10 % of the time could not be attributed." in text
    assert "Only the CPU was recorded." in text


def test_no_steps_no_groups_no_compile() -> None:
    whole = ComparedSteps([None], [None], TypicalSteps(None, None), [], False)
    told = summary([])
    text = shown(comparison(steps=whole, groups=[], group_summary=told, compile=None), 100)
    assert "the recording of the baseline, the recording of the candidate; not known to be settled" in text
    assert " recording  baseline" in text
    for part in ("Left out", "Where the GPU", "torch.compile"):
        assert part not in text


def test_many_reasons_for_steps_left_out_are_cut_short() -> None:
    left = [LeftOutStep("baseline", i, [f"reason_{i}"]) for i in range(9)]
    steps = ComparedSteps([20], [20], TypicalSteps(20, 20), left, True)
    text = shown(comparison(steps=steps))
    assert "baseline step 5 (reason 5)" in text
    assert "… 3 more in the JSON" in text
    assert "reason 6" not in text


def test_each_change_is_a_line() -> None:
    changed = [Change("compile", "eager", "compiled"), Change("precision", "fp32", "bf16")]
    text = shown(comparison(headline=headline(changes=changed)))
    assert "Changed   compile: eager → compiled\n          precision: fp32 → bf16\n" in text


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        (COMPILE, "2 compiled regions (0/0, 1/0), 2 calls in this step"),
        (COMPILE, "1, with 210 µs between the regions: aten::item, aten::_local_scalar_dense"),
        (COMPILE, "1 time, in step 3"),
        (COMPILE, "2 kernel launches and 0 graph launches in this step"),
        (COMPILE, "16.0 µs of CPU time in this step: cache lookup 12.0 µs, prologue 4.00 µs"),
        (COMPILE, "900 ms in the recording: entire_frame_compile 600 ms, inductor 300 ms"),
        (COMPILE, "break-even    after 39,131 steps"),
        (replace(COMPILE, graph_launches=1), "2 kernel launches and 1 graph launch in this step"),
        (
            replace(
                COMPILE, kernel_launches=None, graph_launches=None, not_measured={"kernel_launches": "no GPU"}
            ),
            "launches      no GPU\n",
        ),
        (replace(COMPILE, captures=2), "0 graph launches in this step; 2 graph captures in the recording"),
        (
            replace(COMPILE, regions=[], not_measured={"regions": "older versions write no ids"}),
            "regions       2 calls in this step; older versions write no ids",
        ),
        (replace(COMPILE, regions=[], region_calls=0), "regions       none recorded"),
        (replace(COMPILE, tax_us=0.0, tax=None), "0 µs of CPU time in this step"),
        (
            replace(COMPILE, break_even_steps=None, not_measured={"break_even_steps": "it is not faster"}),
            "break-even    it is not faster",
        ),
        (
            replace(COMPILE, compile_us=None, phases=[], not_measured={"compile_us": "compiled before"}),
            "compiling     compiled before",
        ),
        (replace(COMPILE, tax_us=None, tax=None), "compile tax   this trace does not tell it"),
    ],
)  # fmt: skip
def test_what_torch_compile_did(facts: CompileFacts, told: str) -> None:
    assert told in shown(comparison(compile=facts), 120)


def test_without_steps_the_figures_are_of_the_recording() -> None:
    whole = ComparedSteps([None], [None], TypicalSteps(None, None), [], False)
    text = shown(comparison(steps=whole), 120)
    for told in (
        "2 calls in the recording",
        "0 graph launches in the recording",
        "CPU time in the recording",
    ):
        assert told in text


def test_one_reason_for_two_facts_is_told_once() -> None:
    reasons = {"compile_us": "it was done before", "break_even_steps": "it was done before"}
    facts = replace(COMPILE, compile_us=None, phases=[], break_even_steps=None, not_measured=reasons)
    text = shown(comparison(compile=facts))
    assert "compiling     it was done before" in text
    assert "break-even" not in text


def test_no_graph_break_is_no_line() -> None:
    text = shown(comparison(compile=replace(COMPILE, graph_breaks=0, breaks=[], recompiles=0)))
    assert "graph breaks" not in text
    assert "recompiled" not in text


def test_names_are_shown_whole_and_never_obeyed() -> None:
    hostile = comparison(
        baseline=ComparedTrace(trace_info(f"{HOSTILE}.json"), "host_bound", None, False),
        groups=[group("added", HOSTILE, candidate=side(1.0, 1, HOSTILE))],
        compile=replace(COMPILE, regions=[HOSTILE]),
        gates=[GateResult(HOSTILE, "failed", HOSTILE)],
    )
    text = shown(hostile, 120)
    assert text.count("[bold]a�[31m�") == 5
    assert not [c for c in text if c != "\n" and not c.isprintable()]


def test_several_workers_stand_one_after_the_other() -> None:
    run = RunComparison([FULL, comparison()], [UnpairedFile("candidate", "rank3.pt.trace.json", "rank3")])
    text = shown(run)
    assert text.count("baseline   eager/") == 2
    assert "Not compared\n  rank3.pt.trace.json of the candidate has no counterpart" in text


def test_a_count_is_no_time() -> None:
    assert cells(shown(comparison(deltas=DELTAS[2:3])), "launches")[0] == "2"
