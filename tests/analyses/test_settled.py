"""Which steps look like the steady state, and why the others do not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tb_plugin_explain.analyses.settled import Settled, averaged_steps
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category
from tests.trace_drawing import Row, draw, trace_of

COLD, OUTLIER = (False, ("cold_start",)), (False, ("outlier",))
SETTLED = (True, ())


def judged(rows: Sequence[Row]) -> list[tuple[bool | None, tuple[str, ...]]]:
    return [(s.settled, s.because) for s in RunAnalyses(trace_of(rows)).settled]


def drawn(picture: str) -> list[tuple[bool | None, tuple[str, ...]]]:
    return [(s.settled, s.because) for s in RunAnalyses(draw(picture)).settled]


def run(
    durations_us: Sequence[float], kernels: Sequence[Sequence[str]] | None = None, process: str = "main"
) -> list[Row]:
    """Steps of these durations, one each 1000 us; their kernels, by name (else the same two)."""
    rows = []
    for i, duration in enumerate(durations_us):
        at = 1000.0 * (i + 1)
        rows.append(Row(Category.ANNOTATION, f"ProfilerStep#{i}", at, duration, process))
        for k, name in enumerate(kernels[i] if kernels else ("gemm", "relu")):
            own = 1000 * (i + 1) + k + (0 if process == "main" else 500)
            rows.append(Row(Category.RUNTIME, "cudaLaunchKernel", at + 1 + k / 10, 0.05, process, "1", own))
            rows.append(Row(Category.KERNEL, name, at + 2 + k, 1, correlation=own, device=0, stream="7"))
    return rows


def with_event(
    at_us: float, duration_us: float, category: Category, name: str, process: str = "main"
) -> list[Row]:
    """Four equal steps and one more event."""
    return [*run([100] * 4), Row(category, name, at_us, duration_us, process, "9")]


def test_equal_steps_are_settled() -> None:
    assert judged(run([100] * 4)) == [SETTLED] * 4


@pytest.mark.parametrize("number", [1, 2])
def test_fewer_than_three_steps_cannot_be_judged(number: int) -> None:
    assert judged(run([100, 900][:number])) == [(None, ())] * number


def test_of_fewer_than_three_a_disturbed_step_is_not_settled() -> None:
    rows = [*run([100, 100]), Row(Category.DRIVER, "cuModuleLoadData", 1010, 5)]
    assert judged(rows) == [(False, ("lazy_loading",)), (None, ())]


def test_steps_are_counted_within_a_process() -> None:
    rows = [*run([100, 100]), *run([100, 100], process="q")]
    assert judged(rows) == [(None, ())] * 4


def test_a_compile_event_that_overlaps_the_step_disturbs_it() -> None:
    across = with_event(900, 150, Category.CPU_OP, "compile_inner (dynamo_timed)")
    assert judged(across) == [(False, ("compiling",)), SETTLED, SETTLED, SETTLED]
    before = with_event(900, 100, Category.CPU_OP, "compile_inner (dynamo_timed)")
    assert judged(before) == [SETTLED] * 4


def test_compiling_after_a_step_without_it_is_a_recompile() -> None:
    rows = with_event(3010, 5, Category.ANNOTATION, "compile_fx_inner (dynamo_timed)")
    assert judged(rows)[2] == (False, ("recompile",))


def test_compiling_from_the_first_step_on_is_no_recompile() -> None:
    rows = with_event(1010, 1050, Category.CPU_OP, "_compile.compile_inner")
    assert [because for _, because in judged(rows)] == [("compiling",), ("compiling",), (), ()]


def test_a_compile_event_of_another_process_disturbs_nothing() -> None:
    rows = with_event(2010, 5, Category.CPU_OP, "compile_inner (dynamo_timed)", "q")
    assert judged(rows) == [SETTLED] * 4


@pytest.mark.parametrize(
    ("category", "name"),
    [
        (Category.DRIVER, "cuModuleLoadData"),
        (Category.RUNTIME, "cuLibraryUnload"),
        (Category.OVERHEAD, "Lazy Function Loading"),
    ],
)
def test_loading_disturbs_the_step_in_which_it_begins(category: Category, name: str) -> None:
    rows = with_event(2099, 950, category, name)
    assert judged(rows) == [SETTLED, (False, ("lazy_loading",)), SETTLED, SETTLED]


def test_a_profiler_event_disturbs_beyond_a_twentieth_of_the_step() -> None:
    at_limit = with_event(2010, 5, Category.OVERHEAD, "Activity Buffer Request")
    assert judged(at_limit) == [SETTLED] * 4
    beyond = with_event(2010, 5.001, Category.OVERHEAD, "Buffer Flush")
    assert judged(beyond)[1] == (False, ("profiler_buffer",))


def test_several_short_profiler_events_do_not_add_up() -> None:
    rows = with_event(2010, 4, Category.OVERHEAD, "Buffer Flush")
    rows.append(rows[-1]._replace(start_us=2020))
    assert judged(rows) == [SETTLED] * 4


def test_a_step_is_cut_off_beyond_a_tenth_of_launches_without_event() -> None:
    def lost(count: int) -> list[Row]:
        rows = run([100] * 4, [["k"] * 10] * 4)
        mine = [r for r in rows if r.category == Category.KERNEL and r.start_us > 4000]
        return [r for r in rows if r not in mine[-count:]]

    assert judged(lost(1)) == [SETTLED] * 4
    assert judged(lost(2))[3][1][0] == "cut_off"


def test_without_any_gpu_event_no_step_is_cut_off() -> None:
    rows = [r for r in run([100] * 3) if r.category != Category.KERNEL]
    assert judged(rows) == [SETTLED] * 3


def test_an_odd_step_before_the_first_settled_one_is_a_cold_start() -> None:
    assert judged(run([300, 200, 100, 100, 100, 100])) == [COLD, COLD, *[SETTLED] * 4]


def test_an_odd_step_after_a_settled_one_is_an_outlier() -> None:
    assert judged(run([100, 100, 300, 100, 100])) == [SETTLED, SETTLED, OUTLIER, SETTLED, SETTLED]


def test_a_disturbed_odd_step_is_a_cold_start_too_but_never_an_outlier() -> None:
    load = Row(Category.DRIVER, "cuModuleLoadData", 1010, 5)
    early = [*run([300, 100, 100, 100]), load]
    assert judged(early)[0] == (False, ("lazy_loading", "cold_start"))
    late = [*run([100, 100, 300, 100]), load._replace(start_us=3010)]
    assert judged(late)[2] == (False, ("lazy_loading",))


def test_a_duration_is_odd_beyond_a_tenth_of_the_median() -> None:
    assert judged(run([100, 110, 100, 100])) == [SETTLED] * 4
    assert judged(run([100, 110.001, 100, 100]))[1] == OUTLIER
    assert judged(run([100, 89, 100, 100]))[1] == OUTLIER


def test_a_duration_is_odd_beyond_three_deviations_where_the_steps_scatter() -> None:
    # Median 100, deviations 0, 10, 10, 20, 20, x: their median 15 for large x, times 4.4478 = 66.7.
    scattered = [80, 90, 100, 110, 120]
    assert judged(run([*scattered, 100 + 40])) == [SETTLED] * 6
    assert judged(run([*scattered, 100 + 90]))[5] == OUTLIER


def test_disturbed_steps_have_no_say_in_what_is_usual() -> None:
    rows = run([300, 300, 300, 100, 100])
    rows += [Row(Category.DRIVER, "cuModuleLoadData", 1000.0 * i + 10, 5) for i in (1, 2, 3)]
    assert judged(rows) == [(False, ("lazy_loading", "cold_start"))] * 3 + [SETTLED] * 2


def test_where_all_steps_are_disturbed_all_have_a_say() -> None:
    rows = run([100, 100, 300, 100])
    rows += [Row(Category.DRIVER, "cuModuleLoadData", 1000.0 * i + 10, 5) for i in (1, 2, 3, 4)]
    expected = [("lazy_loading",), ("lazy_loading",), ("lazy_loading", "cold_start"), ("lazy_loading",)]
    assert [because for _, because in judged(rows)] == expected


def test_a_step_of_other_kernels_is_odd_below_nine_tenths() -> None:
    ten = [f"k{chr(97 + i)}" for i in range(10)]
    same = judged(run([100] * 4, [ten, ten, ten[:9], ten]))
    assert same == [SETTLED] * 4  # nine of ten: 0.9
    assert judged(run([100] * 4, [ten, ten, ten[:8], ten]))[2] == OUTLIER
    assert judged(run([100] * 4, [ten, ten, [*ten[:9], "x"], ten]))[2] == OUTLIER  # 9 of 11


def test_numbers_in_kernel_names_do_not_matter() -> None:
    kernels = [[f"triton_poi_fused_{i}", f"gemm_{i}x8"] for i in range(4)]
    assert judged(run([100] * 4, kernels)) == [SETTLED] * 4


def test_a_copy_and_a_kernel_of_one_name_are_different() -> None:
    rows = run([100] * 4, [["k"]] * 4)
    odd = [
        r._replace(category=Category.MEMCPY) if r.category == Category.KERNEL and r.start_us > 4000 else r
        for r in rows
    ]
    assert judged(odd)[3] == OUTLIER


def test_calls_that_poll_do_not_matter() -> None:
    rows = run([100] * 4)
    rows += [Row(Category.RUNTIME, "cudaEventQuery", 2010 + i, 0.5) for i in range(50)]
    assert judged(rows) == [SETTLED] * 4


def test_the_usual_structure_is_that_of_the_step_most_similar_to_all() -> None:
    a, b = ["a"] * 10, ["b"] * 10
    assert [s for s, _ in judged(run([100] * 5, [a, b, b, b, a]))] == [False, True, True, True, False]
    # Of two equally common ones, the latest step's.
    assert [s for s, _ in judged(run([100] * 4, [b, b, a, a]))] == [False, False, True, True]


def test_every_process_has_its_own_steady_state() -> None:
    rows = [*run([100] * 3), *run([300] * 3, process="q")]
    assert judged(rows) == [SETTLED] * 6


def test_a_step_without_gpu_work_is_like_another() -> None:
    assert (
        drawn("""
        us  :0    5    10   15
        step:[1   ][2   ][3   ]
        cpu :[op] [op]   [op]
    """)
        == [SETTLED] * 3
    )


@pytest.mark.parametrize(
    ("settled", "averaged"),
    [
        ([True, None, False, True], [0, 3]),
        ([False, None, None], [1, 2]),
        ([False, False], [0, 1]),
        ([], []),
    ],
)
def test_averages_use_settled_else_unjudged_else_all_steps(
    settled: list[bool | None], averaged: list[int]
) -> None:
    assert averaged_steps([Settled(s, ()) for s in settled]) == averaged
