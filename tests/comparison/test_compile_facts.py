"""What torch.compile did in one run, on drawn steps, on cases, on recordings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb_plugin_explain.comparison.build import compare, make_side
from tb_plugin_explain.comparison.compile_facts import find_compile_facts
from tb_plugin_explain.comparison.metrics import METRICS, values
from tb_plugin_explain.comparison.pair import Side
from tb_plugin_explain.comparison_schema import CompileFacts, CompilePhase, CompileTax, GraphBreak
from tb_plugin_explain.trace.model import Trace
from tb_plugin_explain.trace.reader import read_trace
from tests.case_files import CASES
from tests.compiled_names import NAMES
from tests.recordings import recording
from tests.trace_drawing import draw

TAX = next(metric for metric in METRICS if metric.id == "compile_tax_us")


def side_of(trace: Trace) -> Side:
    return make_side("candidate", trace)


def facts_of(trace: Trace, won_us: float | None = None) -> CompileFacts:
    found = find_compile_facts(side_of(trace), won_us)
    assert found is not None
    return found


def drawn(picture: str) -> Trace:
    return draw(picture, names=NAMES)


def case(path: str) -> Trace:
    return read_trace(str(next(CASES.glob(path))))


COMPILES_IN_THE_THIRD = drawn("""
    us  :0    5    10   15   20   25   30   35   40   45   50   55   60   65   70
    step:[1             ][2             ][3                     ][4             ]
    cpu :[lookup][R0   ] [lookup][R0   ] [lookup][compile][R0  ] [lookup][R0   ]
    cpu :          [gr]            [gr]           [phase]   [gr]           [gr]
""")


def test_compiling_again_in_the_middle_of_a_run() -> None:
    facts = facts_of(COMPILES_IN_THE_THIRD, won_us=4.0)
    assert (facts.recompiles, facts.recompiled_steps) == (1, [3])
    assert (facts.regions, facts.region_calls, facts.lookups) == (["0/0"], 1, 1)
    assert facts.compile_us == 9.0
    assert facts.phases == [CompilePhase("compile_fx_inner", 7.0), CompilePhase("compile_inner", 2.0)]
    # Two steps win 8 µs, three 12: the 9 µs are paid back in the third.
    assert facts.break_even_steps == 3
    assert facts.tax == CompileTax(8.0, 0.0, 3.0)
    assert facts.tax_us == 11.0
    assert set(facts.not_measured) == {"graph_launches", "kernel_launches"}


def test_break_even_needs_a_faster_pace() -> None:
    for won_us in (None, 0.0, -2.0):
        facts = facts_of(COMPILES_IN_THE_THIRD, won_us)
        assert facts.break_even_steps is None
        assert "not known to be faster" in facts.not_measured["break_even_steps"]


def test_break_even_needs_compiling_in_the_recording() -> None:
    facts = facts_of(drawn("""
        step:[1             ]
        cpu :[lookup][R0   ]
        cpu :          [gr]
    """), won_us=4.0)  # fmt: skip
    assert (facts.compile_us, facts.phases, facts.break_even_steps) == (None, [], None)
    assert facts.not_measured["break_even_steps"] == facts.not_measured["compile_us"]
    assert "shows no compiling" in facts.not_measured["compile_us"]


def test_graph_breaks_with_what_runs_between() -> None:
    facts = facts_of(drawn("""
        us  :0    5    10   15   20   25   30   35   40   45   50   55
        step:[1                                                      ]
        cpu :[R0                                        ]
        cpu :  [fun     ] [item    ] [lookup][R1       ]
        cpu :    [gr  ]      [mul]              [gr  ]
    """))  # fmt: skip
    assert facts.breaks == [GraphBreak("0/0", "1/0", 12.0, ["aten::item"])]
    assert (facts.graph_breaks, facts.regions) == (1, ["0/0", "1/0"])


def test_graph_launches_stand_beside_single_ones_and_captured_ones_are_left_out() -> None:
    facts = facts_of(drawn("""
        us  :0    5    10   15   20   25   30   35   40   45   50   55   60   65   70   75   80   85
        step:[1                                                                                    ]
        cpu :[R0                                                                                  ]
        cpu :  [gr                                                                             ]
        cpu :   [cudaGraphLaunch g] [a] [cudaStreamBeginCapture] [b] [cudaStreamEndCapture]
        s7  :                        [g][g][a]
    """))  # fmt: skip
    assert (facts.graph_launches, facts.kernel_launches, facts.captures) == (1, 1, 1)


def test_a_run_that_shows_nothing_compiled_has_no_facts() -> None:
    assert find_compile_facts(side_of(drawn("step:[1     ]\ncpu : [mul]")), 5.0) is None
    assert find_compile_facts(side_of(drawn("us :0")), 5.0) is None


def test_the_tutorial_pays_lookup_and_prologue_in_each_step() -> None:
    side = side_of(case("T02*/compiled/*.json"))
    facts = find_compile_facts(side, None)
    assert facts is not None
    assert facts.tax == CompileTax(12.0, 4.0, 12.0)
    assert values(side, TAX) == [28.0] * 4
    assert (facts.graph_launches, facts.kernel_launches, facts.graph_breaks) == (0, 1, 0)
    eager = side_of(case("T02*/eager/*.json"))
    assert find_compile_facts(eager, None) is None
    assert values(eager, TAX) == []


def test_a_recording_of_the_cpu_alone_does_not_tell_its_launches() -> None:
    facts = facts_of(COMPILES_IN_THE_THIRD)
    assert (facts.graph_launches, facts.kernel_launches) == (None, None)
    for name in ("graph_launches", "kernel_launches"):
        assert facts.not_measured[name] == "the trace has no GPU event and no launch of one"


def test_launches_whose_kernels_were_not_recorded_are_told() -> None:
    facts = facts_of(
        drawn("""
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[R0         ] [cudaLaunchKernel]
    """)
    )
    assert (facts.graph_launches, facts.kernel_launches) == (0, 1)
    assert "kernel_launches" not in facts.not_measured


def test_generated_kernels_alone_show_a_compiled_run() -> None:
    facts = facts_of(case("B52*/compiled*.json"))
    assert (facts.regions, facts.kernel_launches, facts.tax, facts.tax_us) == ([], 2, None, None)
    assert "no event of the compiled path" in facts.not_measured["tax_us"]
    assert find_compile_facts(side_of(case("B52*/eager*.json")), None) is None


@pytest.mark.parametrize(
    ("kernel", "compiled"),
    [
        ("triton__0d1d2de", True),
        ("triton_fused_add_0", True),
        ("triton_red_fused_0", True),
        ("triton_add_0", False),
    ],
)
def test_a_generated_kernel_without_operators_in_its_name_shows_a_compiled_run(
    kernel: str, compiled: bool
) -> None:
    picture = "us  :0    5    10\nstep:[1       ]\ncpu : [k]\ns7  :    [k]"
    assert side_of(draw(picture, names={"k": kernel})).compiled is compiled


def test_a_recompiling_step_of_a_case() -> None:
    facts = facts_of(case("B54*/compiled*.json"), won_us=200.0)
    assert (facts.recompiled_steps, facts.compile_us) == ([3], 900_000.0)
    assert facts.break_even_steps == 4_500
    assert "does not tell" in facts.not_measured["tax_us"]


def test_a_recorded_graph_break() -> None:
    for name in ("classifier_graph_break", "transformer_graph_break"):
        facts = facts_of(recording(name))
        (found,) = facts.breaks
        assert (found.before, found.after, found.operators) == ("0/0", "1/0", ["aten::is_nonzero"])
        assert (facts.regions, facts.region_calls, facts.lookups) == (["0/0", "1/0"], 2, 2)


def test_a_recorded_recompilation() -> None:
    facts = facts_of(recording("small_classifier_recompiled"), won_us=100.0)
    assert facts.recompiled_steps == [6]
    assert facts.compile_us == 3_292_305.627
    assert sum(phase.time_us for phase in facts.phases) == pytest.approx(facts.compile_us, abs=1e-3)
    # Waiting for the C++ compiler is most of it.
    assert facts.phases[0] == CompilePhase("async_compile.wait", 2_609_770.422)
    assert facts.break_even_steps == 32_924


def test_a_recorded_recompilation_of_a_transformer() -> None:
    facts = facts_of(recording("transformer_recompiled"))
    assert (facts.regions, facts.recompiled_steps, facts.compile_us) == (["0/0"], [6], 4_905_184.479)
    assert facts.phases[0] == CompilePhase("async_compile.wait", 3_932_982.076)


def test_reduce_overhead_on_a_cpu_shows_nothing_of_graphs() -> None:
    facts = facts_of(recording("transformer_reduce_overhead"))
    assert (facts.graph_launches, facts.kernel_launches, facts.captures) == (None, None, 0)
    sides = side_of(recording("transformer_compiled")), side_of(recording("transformer_reduce_overhead"))
    compared = compare(*sides)
    assert compared.headline.changes == []
    assert "graph-replay" not in {finding.rule for finding in compared.findings}


def test_recorded_runs_with_and_without_shapes_show_the_same_path() -> None:
    for name in ("classifier_compiled", "classifier_compiled_shapes", "transformer_compiled"):
        facts = facts_of(recording(name))
        assert (facts.regions, facts.lookups, facts.graph_breaks, facts.recompiles) == (["0/0"], 1, 0, 0)
        assert facts.tax is not None
        parts = (facts.tax.lookup_us, facts.tax.prologue_us, facts.tax.wrapper_us)
        assert facts.tax_us == pytest.approx(sum(parts), abs=1e-6)
    for name in ("classifier_eager", "classifier_eager_shapes", "transformer_eager"):
        assert find_compile_facts(side_of(recording(name)), None) is None


def test_published_traces_read_by_hand(shared_traces: Path) -> None:
    plain = facts_of(read_trace(str(shared_traces / "luatil__trace_04.json.gz")))
    assert plain.tax == CompileTax(29.376, 19.317, 197.172)
    assert (plain.regions, plain.graph_launches, plain.kernel_launches) == (["0/0"], 0, 202)
    graphs = facts_of(read_trace(str(shared_traces / "luatil__trace_05.json.gz")))
    assert graphs.tax == CompileTax(24.617, 17.053, 219.078)
    assert (graphs.regions, graphs.graph_launches, graphs.kernel_launches) == (["0/0"], 2, 15)
    flux = facts_of(read_trace(str(next(shared_traces.glob("*xdit_flux*")))))
    assert flux.tax == CompileTax(1_513.011, 693.19, 681.775)
    assert (flux.region_calls, flux.graph_launches, flux.breaks) == (4, 4, [])


def test_old_traces_tell_calls_and_captures_but_no_tax(shared_traces: Path) -> None:
    old = facts_of(read_trace(str(next(shared_traces.glob("samfast__2023-10-18*True*")))))
    assert (old.regions, old.region_calls, old.lookups, old.captures, old.graph_launches) == ([], 1, 1, 1, 1)
    # Of 18,343 launches 558 lie in the capture.
    assert old.kernel_launches == 17_784
    assert set(old.not_measured) == {"regions", "tax_us", "compile_us", "break_even_steps"}
    # 120 functions compiled apart, one after the other.
    apart = facts_of(read_trace(str(shared_traces / "astrasim__megatron_kineto_0.json.gz")))
    assert (apart.region_calls, apart.graph_breaks) == (120, 0)
