"""What belongs to which step, process and device."""

from __future__ import annotations

import numpy as np

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, draw, rows_of, trace_of


def kernels_of_steps(trace: Trace) -> list[list[str]]:
    recording = Recording(trace)
    names = [trace.names[n] for n in recording.gpu.name.tolist()]
    return [[names[k] for k in recording.gpu_of_step[i].tolist()] for i in range(len(recording.steps))]


def test_gpu_work_belongs_to_the_step_that_launched_it_wherever_it_ran() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        step:   [1    ][2    ]
        cpu :[x] [a]     [b]
        s7  :      [x] [a]  [b     ]
    """)
    assert kernels_of_steps(trace) == [["kernel_a"], ["kernel_b"]]


def test_work_without_a_launch_is_in_no_step() -> None:
    trace = draw("""
        us  :0    5    10
        step:[1           ]
        cpu :[a]
        s7  :   [a]   [?]
    """)
    assert kernels_of_steps(trace) == [["kernel_a"]]


def test_where_nothing_has_a_launch_work_belongs_to_the_step_in_which_it_began() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        step:[1    ][2     ]
        cpu :[op]
        s7  :     [?]  [?]   [?]
    """)
    recording = Recording(trace)
    assert recording.step_of_gpu.tolist() == [0, 1, -1]


def test_a_call_belongs_to_the_step_in_which_it_began() -> None:
    trace = draw("""
        us  :0    5    10   15   20
        step:[1    ][2     ]
        cpu :[op]  [a   ] [b]  [c]
    """)
    recording = Recording(trace)
    calls = np.flatnonzero(recording.kinds.call)
    assert recording.step_of_calls(calls).tolist() == [0, 1, -1]


def test_work_of_a_process_is_what_it_launched_and_what_has_no_launch() -> None:
    trace = draw("""
        us   :0    5    10
        cpu  :[a]
        q.cpu:[b]
        s7   :   [a ]  [?]
        d1.s7:     [b     ]
    """)
    recording = Recording(trace)
    main, other = (recording.work_of_process(p) for p in (0, 1))
    assert (main.start_ns.tolist(), main.end_ns.tolist()) == ([3000, 9000], [7000, 12000])
    assert (other.start_ns.tolist(), other.end_ns.tolist()) == ([5000], [13000])


def test_communication_is_known_by_name_or_argument_and_only_among_kernels() -> None:
    rows = rows_of(
        """
        us :0    5    10
        cpu:[a][n][copy c]
        s7 :   [a][n][c ]
    """,
        names={"n": "ncclKernel", "c": "Memcpy nccl"},
    )
    rows.append(Row(Category.KERNEL, "custom", 30, 5, device=0, stream="7", collective=True))
    assert Recording(trace_of(rows)).gpu.communication.tolist() == [False, True, False, True]


def test_the_profilers_time_is_that_of_its_overhead() -> None:
    trace = draw("""
        us      :0    5    10   15
        cpu     :[op          ]
        overhead: [prof]  [load]
    """)
    recording = Recording(trace)
    assert recording.profiler.length_ns == 6_000


def test_times_count_from_the_first_step() -> None:
    trace = draw("""
        us  :0    5    10   15
        step:   [4    ][5   ]
        cpu :[a]
    """)
    assert Recording(trace).origin_ns == 3_000
    assert Recording(trace_of([])).origin_ns == 0
