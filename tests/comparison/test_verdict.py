"""Which answer is given, and which is refused with a reason."""

from __future__ import annotations

from msgspec.structs import replace

from tb_plugin_explain.comparison.build import compare, make_side
from tb_plugin_explain.comparison.deltas import find_deltas
from tb_plugin_explain.comparison.pair import Pair
from tb_plugin_explain.comparison.verdict import Judgement, judge
from tb_plugin_explain.comparison_schema import Change
from tb_plugin_explain.trace.model import ReadProblem, Trace
from tests.comparison.sides import GPU_BOUND, HOST_BOUND, pair_of
from tests.trace_drawing import draw

NAMES = dict.fromkeys("abcd", "kernel")
# The recording began late: of the steps' kernels none is in it.
LOST = """
    step:     [1 ][2 ][3 ][4 ]
    cpu :[e]  [a] [b] [c] [d]
    s7  :  [e]
"""
CPU_ONLY = """
    step:[1       ][2       ][3       ][4       ]
    cpu :[op ]     [op ]     [op ]     [op ]
"""
MODES = Change("modes", "none", "stacks")


def trace(picture: str, us: int = 10) -> Trace:
    return draw(picture, us=us, names=NAMES)


def verdict(pair: Pair, changes: list[Change] | None = None) -> Judgement:
    pace = next(delta for delta in find_deltas(pair) if delta.metric == "pace_us")
    return judge(pair, changes or [], pace)


def test_a_run_with_itself_is_within_noise() -> None:
    assert verdict(pair_of(trace(HOST_BOUND), trace(HOST_BOUND))) == Judgement("within_noise", "")


def test_faster_and_slower_by_the_pace() -> None:
    slow, fast = trace(HOST_BOUND, us=20), trace(HOST_BOUND)
    assert verdict(pair_of(slow, fast)).verdict == "faster"
    assert verdict(pair_of(fast, slow)).verdict == "slower"


def test_the_pace_and_not_the_cpu_span_decides() -> None:
    """The GPU needs the same time in both; the CPU's span differs by half."""
    longer_span = GPU_BOUND.replace("[1 ][2 ][3 ][4 ]", "[1][2] [3][4]")
    assert verdict(pair_of(trace(GPU_BOUND), trace(longer_span))).verdict == "within_noise"


def test_one_side_without_gpu_work_cannot_be_compared() -> None:
    found = verdict(pair_of(trace(HOST_BOUND), trace(CPU_ONLY)))
    assert found == Judgement("not_comparable", "Only the baseline recorded GPU work of its steps.")


def test_a_side_whose_steps_lost_their_gpu_work_is_not_faster() -> None:
    found = verdict(pair_of(trace(GPU_BOUND), trace(LOST)))
    assert found == Judgement("not_comparable", "Only the baseline recorded GPU work of its steps.")


def test_a_step_is_not_compared_with_a_recording() -> None:
    whole = trace(HOST_BOUND.replace("step:[1       ][2       ][3       ][4       ]", "cpu2:"))
    pair = pair_of(trace(HOST_BOUND), whole)
    assert verdict(pair).verdict == "not_comparable"
    assert {(delta.difference, delta.interval) for delta in find_deltas(pair)} == {(None, None)}


def test_another_batch_cannot_be_compared() -> None:
    pair = pair_of(trace(HOST_BOUND), trace(HOST_BOUND))
    assert verdict(pair, [Change("batch", "", "")]).verdict == "not_comparable"


def test_other_modes_leave_a_cpu_bound_pair_undecided_and_a_gpu_bound_one_not() -> None:
    host = pair_of(trace(HOST_BOUND), trace(HOST_BOUND, us=20))
    gpu = pair_of(trace(GPU_BOUND), trace(GPU_BOUND, us=20))
    assert verdict(host, [MODES]).verdict == "undecided"
    assert "stacks" in verdict(host, [MODES]).because
    assert verdict(gpu, [MODES]).verdict == "slower"


def test_one_step_on_a_side_is_undecided() -> None:
    one = trace("""
        step:[1       ]
        cpu :[a]
        s7  :  [a ]
    """)
    assert verdict(pair_of(one, trace(HOST_BOUND))).verdict == "undecided"


def test_a_file_that_was_cut_off_is_undecided() -> None:
    whole = trace(HOST_BOUND)
    cut = replace(whole, meta=replace(whole.meta, problems=(ReadProblem("truncated", 1, {"byte": 9}),)))
    assert "candidate ends too early" in verdict(pair_of(whole, cut)).because


def test_cpu_only_pairs_are_judged_by_their_steps() -> None:
    assert verdict(pair_of(trace(CPU_ONLY, us=20), trace(CPU_ONLY))).verdict == "faster"


def test_the_headline_says_who_is_faster_and_between_which_limits() -> None:
    compiled = dict.fromkeys("abcd", "triton_poi_fused_add_relu_0")
    sides = (
        make_side("baseline", trace(HOST_BOUND, us=20)),
        make_side("candidate", draw(HOST_BOUND, us=10, names=compiled)),
    )
    headline = compare(*sides).headline
    assert (
        headline.text
        == "The compiled run is faster: a step takes 100 µs instead of 200 µs (−100 µs, −50.0 %)."
    )
    assert headline.detail.startswith("A step: GPU busy 80.0 µs → 40.0 µs;")
    assert headline.why == (
        "Medians over the settled steps 1–4 of the baseline and steps 1–4 of the candidate; the difference "
        "shows no spread."
    )


def test_two_changes_at_once_are_said_to_be_confounded() -> None:
    fp32 = draw(HOST_BOUND, us=20, names=dict.fromkeys("abcd", "ampere_sgemm_64x64_nn"))
    names = dict(zip("abcd", ["ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_stages_64x3_nn"] * 4, strict=True))
    with_lookups = HOST_BOUND + "    cpu :   [lookup]\n"
    bf16 = draw(with_lookups, us=10, names=names)
    headline = compare(make_side("baseline", fp32), make_side("candidate", bf16)).headline
    assert headline.confounded
    assert "the precision and torch.compile" in headline.why
