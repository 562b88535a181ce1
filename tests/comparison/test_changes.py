"""What else differs: of drawn traces whose settings are set by hand."""

from __future__ import annotations

from msgspec.structs import replace

from tb_plugin_explain.comparison.build import make_side
from tb_plugin_explain.comparison.changes import find_changes, is_confounded
from tb_plugin_explain.comparison.pair import Pair, Side
from tb_plugin_explain.comparison.warnings import find_warnings
from tb_plugin_explain.comparison_schema import Change
from tb_plugin_explain.trace.model import Device, Trace, TraceMeta
from tests.comparison.sides import pair_of
from tests.kernel_details import with_operator_shapes
from tests.trace_drawing import draw

META = TraceMeta("drawn.json", 0, devices=(Device(0, "Small GPU"),), world_size=2)
PICTURE = """
    step:[1       ][2       ][3       ]
    cpu :[a]       [b]       [c]
    s7  :  [a ]      [b ]      [c ]
"""
FP32, BF16 = "ampere_sgemm_64x64_nn", "ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_stages_64x3_nn"


def trace(meta: TraceMeta = META, kernel: str = "kernel", picture: str = PICTURE) -> Trace:
    return replace(draw(picture, us=10, names=dict.fromkeys("abc", kernel)), meta=meta)


def changes(baseline: Trace, candidate: Trace) -> dict[str, Change]:
    return {change.what: change for change in find_changes(pair_of(baseline, candidate))}


def test_a_run_with_itself_has_no_change() -> None:
    assert changes(trace(), trace()) == {}


def test_other_devices_ranks_and_versions_are_named() -> None:
    other = replace(META, devices=(Device(0, "Big GPU"),), world_size=8, versions={"cuda_runtime": "13.0"})
    found = changes(trace(replace(META, versions={"cuda_runtime": "12.4"})), trace(other))
    assert found["device"] == Change("device", "Small GPU", "Big GPU")
    assert found["ranks"] == Change("ranks", "2 ranks", "8 ranks")
    assert found["versions"] == Change("versions", "cuda_runtime 12.4", "cuda_runtime 13.0")


def test_another_rank_of_as_many_is_told_and_confounds_nothing() -> None:
    found = changes(trace(replace(META, rank=0)), trace(replace(META, rank=1)))
    assert list(found.values()) == [Change("rank", "0", "1")]
    assert not is_confounded([*found.values(), Change("compile", "eager", "compiled")])
    (warning,) = find_warnings([*found.values()])
    assert warning.message == "Rank 0 is compared with rank 1."


def test_what_one_side_does_not_tell_is_no_change() -> None:
    untold = replace(META, devices=None, world_size=None)
    assert changes(trace(), trace(untold)) == {}


def test_precision_is_read_out_of_the_matrix_multiplications() -> None:
    assert changes(trace(kernel=FP32), trace(kernel=BF16))["precision"] == Change("precision", "fp32", "bf16")


def test_generated_kernels_show_a_compiled_run() -> None:
    found = changes(trace(), trace(kernel="triton_poi_fused_add_relu_0"))
    assert found["compile"] == Change("compile", "eager", "compiled")


def test_the_compiled_path_on_the_cpu_shows_a_compiled_run_too() -> None:
    with_lookups = PICTURE + "    cpu :   [lookup]\n"
    found = changes(trace(), trace(picture=with_lookups))
    assert found["compile"].candidate == "compiled"


def test_modes_of_the_profiler_are_named() -> None:
    found = changes(trace(), trace(replace(META, with_stack=True, record_shapes=True)))
    assert found["modes"] == Change("modes", "none", "stacks and shapes")


def test_two_movers_confound_and_modes_or_versions_do_not() -> None:
    device, modes, versions = (Change(what, "a", "b") for what in ("device", "modes", "versions"))
    assert not is_confounded([device, modes, versions])
    assert is_confounded([device, Change("precision", "fp32", "bf16")])


def test_each_change_that_forbids_a_comparison_is_one_warning() -> None:
    found = find_warnings([Change("device", "A", "B"), Change("compile", "eager", "compiled")])
    assert [(w.kind, w.data["what"]) for w in found] == [("not_comparable", "device")]
    assert "A and B" in found[0].message


def test_sizes_are_compared_on_runs_without_gpu_work_too() -> None:
    on_cpu = draw("""
        step:[1                  ][2                  ]
        cpu :[op ][op ][op ]      [op ][op ][op ]
    """)
    pair = [
        make_side("baseline", with_operator_shapes(on_cpu, "aten::mm", [shape] * 6))
        for shape in ("[[4,8]]", "[[12,8]]")
    ]
    assert [change.what for change in find_changes(Pair(*pair))] == ["batch"]


def test_graph_launches_of_an_eager_run_are_a_change_that_confounds_nothing() -> None:
    graphs = PICTURE.replace(
        "[a]       [b]       [c]", "[cudaGraphLaunch a][cudaGraphLaunch b][cudaGraphLaunch c]"
    )
    found = changes(trace(), trace(picture=graphs.replace("       ][", "               ][")))
    assert found["graphs"] == Change("graphs", "none", "graph launches")
    assert not is_confounded([found["graphs"], Change("precision", "fp32", "bf16")])


def side_with_shapes(*shapes: str) -> Side:
    drawn = draw("""
        step:[1             ]
        cpu :[op ][op ][op ][a]
        s7  :                [a ]
    """)
    return make_side("baseline", with_operator_shapes(drawn, "aten::mm", shapes))


def batch(old: tuple[str, ...], new: tuple[str, ...]) -> Change | None:
    found = find_changes(Pair(side_with_shapes(*old), side_with_shapes(*new)))
    return next((change for change in found if change.what == "batch"), None)


def test_a_batch_twice_as_large_is_found_in_the_shapes() -> None:
    old = ("[[4,8],[8,2]]", "[[4,2],[2,2]]", "[[4,2],[2,9]]")
    new = tuple(shape.replace("[[4,", "[[8,") for shape in old)
    assert batch(old, old) is None
    assert batch(old, new) == Change("batch", "input shapes as recorded", "2.00 times as large")


def test_sizes_that_changed_in_different_ways_have_no_factor() -> None:
    old = ("[[4,8]]", "[[4,2]]", "[[4,2]]")
    found = batch(old, ("[[8,8]]", "[[12,2]]", "[[4,2]]"))
    assert found is not None
    assert found.candidate == "other sizes"


def test_one_call_of_many_with_other_sizes_is_no_other_batch() -> None:
    assert batch(("[[4]]", "[[5]]", "[[6]]"), ("[[4]]", "[[5]]", "[[7]]")) is None


def test_shapes_with_more_or_fewer_sizes_are_no_other_batch() -> None:
    assert batch(("[[4]]", "[[5]]", "[[]]"), ("[[]]", "[[5]]", "[[6]]")) is None
