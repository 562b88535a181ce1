"""Who asked for a wait, and what of the waiting and of the idle time is whose."""

from __future__ import annotations

from tb_plugin_explain.analyses.call_sites import CallSite
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Trace
from tests.analyses.test_backward import numbered
from tests.trace_drawing import Row, draw, rows_of, trace_of

PICTURE = """
    us  :0    5    10   15   20   25   30   35   40
    step:[1                                        ]
    cpu :[a]                    [b]
    cpu :         [wait     ]
    s7  :  [a              ]      [b ]
"""


def sites_of(trace: Trace) -> list[CallSite]:
    return list(RunAnalyses(trace).call_sites)


def with_rows(*rows: Row) -> Trace:
    """The picture, and more events on its thread."""
    return trace_of([*rows_of(PICTURE), *rows])


def test_the_innermost_operator_and_the_outermost_that_nothing_interrupts() -> None:
    (site,) = sites_of(
        with_rows(
            Row(Category.CPU_OP, "region", 4, 30),
            Row(Category.ANNOTATION, "my loss", 5, 20),
            Row(Category.CPU_OP, "aten::item", 6, 14),
            Row(Category.CPU_OP, "aten::_local_scalar_dense", 7, 12),
        )
    )
    assert (site.operator, site.top_operator) == ("aten::_local_scalar_dense", "aten::item")
    assert (site.annotation, site.module, site.source, site.phase) == ("my loss", None, None, "other")
    assert site.calls == ["cudaStreamSynchronize"]


def test_module_and_line_of_the_user() -> None:
    (site,) = sites_of(
        with_rows(
            Row(Category.PYTHON, "train.py(12): step", 3.1, 26),
            Row(Category.PYTHON, "torch/nn/modules/module.py(1): _call_impl", 3.2, 25),
            Row(Category.PYTHON, "nn.Module: Net_0", 3.3, 24),
            Row(Category.PYTHON, "threading.py(3): run", 3.4, 23),
            Row(Category.PYTHON, "nn.Module: Linear_1", 4, 24),
            Row(Category.PYTHON, "<built-in function print>", 5, 22),
        )
    )
    assert (site.module, site.source, site.phase) == ("Net_0/Linear_1", "train.py(12): step", "forward")


def test_phases_by_what_is_around() -> None:
    inside = {
        "Optimizer.step#SGD.step": "optimizer",
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__": "input",
    }
    for name, phase in inside.items():
        (site,) = sites_of(with_rows(Row(Category.ANNOTATION, name, 5, 20)))
        assert site.phase == phase
    (site,) = sites_of(with_rows(Row(Category.CPU_OP, "NllLossBackward", 5, 20)))
    assert site.phase == "backward"


def test_a_wait_of_the_backward_thread_is_led_to_module_and_line() -> None:
    rows = [
        Row(Category.PYTHON, "train.py(12): step", 1, 2),
        Row(Category.PYTHON, "nn.Module: Net_0", 1.2, 1.5),
        Row(Category.CPU_OP, "aten::index", 1.4, 1),
        Row(Category.CPU_OP, "autograd::engine::evaluate_function: IndexBackward0", 5, 20, thread="2"),
    ]
    # The wait itself runs on the second thread.
    picture = [r._replace(thread="2") if r.name == "cudaStreamSynchronize" else r for r in rows_of(PICTURE)]
    first = len(picture)
    (site,) = sites_of(numbered(trace_of([*picture, *rows]), {first + 2: 3, first + 3: 3}))
    assert (site.phase, site.module, site.source) == ("backward", "Net_0", "train.py(12): step")


def test_a_copy_and_its_wait_under_one_operator_ask_once() -> None:
    trace = draw(
        """
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu :[a] [aten::item         ]    [b]
        cpu :     [copy c ][wait    ]
        s7  :  [a      ][c         ]       [b]
    """,
        names={"c": "Memcpy DtoH (Device -> Pageable)"},
    )
    (site,) = sites_of(trace)
    assert (site.averaged.count, site.averaged.wait_calls, site.steps_with) == (1, 2, 1)
    assert set(site.calls) == {"cudaMemcpyAsync", "cudaStreamSynchronize"}
    assert site.implicit_ns == 9_000
    assert site.averaged.waiting_ns == 19_000


def test_overlapping_bubbles_go_to_the_wait_that_began_first() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25   30   35   40
        step:[1                                        ]
        cpu :[a]  [sync            ]   [b]
        cpu2:       [wait             ]
        s7  :  [a             ]          [b    ]
    """)
    run = RunAnalyses(trace)
    # The first wait alone would make all of it, so nothing is left for the second.
    assert run.bubble_of_waits([0]).tolist() == [run.steps[0].bubble_ns, 0]
    assert run.steps[0].bubble_ns == 10_000


def test_steps_that_are_not_averaged_count_in_the_recording_alone() -> None:
    trace = draw("""
        us  :0    5    10   15   20   25   30   35   40   45
        step:[1      ][2      ][3      ][4      ][5      ]
        cpu : [module ][a]      [b][w  ] [c]      [d]
        cpu :             [wait]
        s7  :          [a]       [b]       [c]      [d]
    """)
    run = RunAnalyses(trace)
    for site in run.call_sites:
        assert site.averaged.wait_calls <= site.recorded.wait_calls
    assert sum(s.recorded.wait_calls for s in run.call_sites) == len(run.waits.row)


def test_no_wait_no_site() -> None:
    trace = draw("""
        us  :0    5    10
        step:[1         ]
        cpu : [a]
        s7  :    [a]
    """)
    assert sites_of(trace) == []
