"""The section ``gaps`` of the report."""

from __future__ import annotations

from tb_plugin_explain.report.sections import gaps
from tb_plugin_explain.report_sections.gaps import Gap, Gaps
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, draw, trace_of


def section(trace: Trace) -> Gaps:
    built = gaps.build(RunAnalyses(trace))
    assert built is not None
    return built


def test_gaps_with_what_stands_before_and_after_them() -> None:
    built = section(
        draw("""
        us  :0    5    10   15   20   25   30
        step:     [1                         ]
        cpu :     [a][op ][b]
        s7  :        [a ]         [b ]
    """)
    )
    assert (built.count, built.duration_us) == (2, 12)
    assert built.longest[0] == Gap(
        step=1,
        device=0,
        start_us=7,
        duration_us=9,
        kind="queued",
        causes={"host": 4, "launch": 5},
        host_by={"launch_call": 3, "op_dispatch": 1},
        queued_us=5,
        hole_us=5,
        before="kernel_a",
        before_event=3 + 1,
        after="kernel_b",
        after_event=5,
        launch="cudaLaunchKernel",
        launch_event=3,
        launch_start_us=8,
        launch_duration_us=3,
    )
    opening = built.longest[1]
    assert (opening.start_us, opening.duration_us, opening.before, opening.after) == (0, 3, None, "kernel_a")
    assert built.causes == {"host": 7, "launch": 5}
    assert built.host_by == {"launch_call": 6, "op_dispatch": 1}


def test_an_event_without_a_launch_has_none_in_its_gap() -> None:
    built = section(
        draw("""
        us  :0    5    10   15   20
        step:[1                    ]
        cpu :[a]
        s7  :   [a]  [?] [a]
    """)
    )
    (lost,) = [g for g in built.longest if g.kind == "launch_not_recorded"]
    assert (lost.launch, lost.launch_event, lost.launch_start_us, lost.launch_duration_us) == (None,) * 4
    assert lost.causes == {"unknown": 2}


def test_the_rest_and_the_list_make_the_whole() -> None:
    rows = [Row(Category.ANNOTATION, "ProfilerStep#1", 0, 5000)]
    for i in range(1, 251):
        rows.append(Row(Category.RUNTIME, "cudaLaunchKernel", 10 * i, 1, correlation=i))
        rows.append(Row(Category.KERNEL, "k", 10 * i + 2, 1 + i % 3, correlation=i, device=0, stream="7"))
    built = section(trace_of(rows))
    assert (built.count, len(built.longest), built.rest.count) == (250, 200, 50)
    assert sum(g.duration_us for g in built.longest) + built.rest.duration_us == built.duration_us
    for name, time in built.causes.items():
        assert sum(g.causes.get(name, 0) for g in built.longest) + built.rest.causes.get(name, 0) == time
    assert sum(c.count for c in built.by_length) == 250
    assert [c.up_to_us for c in built.by_length] == [10, 100, 1000, 10_000, None]
    assert sum(c.duration_us for c in built.by_length) == built.duration_us


def test_no_gpu_work_no_gaps() -> None:
    assert gaps.build(RunAnalyses(draw("cpu :[op ]"))) is None
