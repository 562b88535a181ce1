"""The data loader and the copies from host to device."""

from __future__ import annotations

from tb_plugin_explain.analyses.input_pipeline import HostCopies, find_workers
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, draw, trace_of

PINNED = "Memcpy HtoD (Pinned -> Device)"
PAGEABLE = "Memcpy HtoD (Pageable -> Device)"


def copies_of(picture: str, **names: str) -> HostCopies | None:
    return RunAnalyses(draw(picture, names=names)).steps[0].host_copies


def test_the_part_of_a_copy_beside_which_nothing_runs_is_exposed() -> None:
    copies = copies_of(
        """
        us  :0    5    10   15   20   25
        step:[1                        ]
        cpu :[copy a][b][copy c]
        s7  : [a     ]
        s8  :     [b    ]
        s7  :               [c  ]
        """,
        a=PINNED,
        c=PAGEABLE,
    )
    assert copies == HostCopies(2, None, 13_000, pageable=1, pinned=1, exposed_ns=9_000)


def test_work_of_another_step_hides_a_copy_too() -> None:
    copies = (
        RunAnalyses(
            draw(
                """
            us  :0    5    10   15   20   25
            step:[1      ] [2              ]
            cpu : [a]       [copy b][c]
            s7  :  [a                 ]
            s8  :             [b    ]  [c ]
            """,
                names={"b": PINNED},
            )
        )
        .steps[1]
        .host_copies
    )
    assert copies is not None
    assert (copies.count, copies.exposed_ns) == (1, 0)


def test_other_directions_are_no_input() -> None:
    copies = copies_of(
        """
        us  :0    5    10   15
        step:[1            ]
        cpu :[copy a][b]
        s7  : [a   ]  [b ]
        """,
        a="Memcpy DtoH (Device -> Pinned)",
    )
    assert copies == HostCopies(0, 0, 0, 0, 0, 0)


def test_copies_are_unknown_where_no_gpu_event_is() -> None:
    assert copies_of("us  :0    5\nstep:[1   ]\ncpu :[op]") is None


def trace_named(*names: str) -> Trace:
    return trace_of([Row(Category.ANNOTATION, name, 0, 5) for name in names])


def test_the_iterator_tells_who_loads() -> None:
    alone = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    workers = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
    assert find_workers(trace_named(alone)) == "in_process"
    assert find_workers(trace_named(workers)) == "worker_processes"
    assert find_workers(trace_named(alone, workers)) == "both"
    assert find_workers(trace_named("torch/utils/data/dataloader.py(7): __next__")) is None


def test_loader_calls_are_those_that_begin_in_the_step_and_not_inside_another() -> None:
    frame = "torch/utils/data/dataloader.py(7): __next__"
    rows = [Row(Category.ANNOTATION, "ProfilerStep#1", 0, 100)]
    rows += [Row(Category.PYTHON, frame, t, d) for t, d in ((5, 10), (30, 10), (95, 20), (110, 5))]
    rows += [Row(Category.ANNOTATION, "enumerate(DataLoader)#x", t, 8) for t in (6, 31)]
    rows += [Row(Category.PYTHON, frame, 60, 10, thread="2")]
    run = RunAnalyses(trace_of(rows))
    assert run.input_pipeline.loader_calls(run.steps[0].step) == 3
    assert run.steps[0].cpu is not None
    assert run.steps[0].cpu["input"] == 25_000
