"""The headline: the verdict in words, how sure it is, and what to do first."""

from __future__ import annotations

import pytest

from tb_plugin_explain.report import explain
from tb_plugin_explain.report_schema import First, Headline
from tb_plugin_explain.trace.model import Category, Device, Trace
from tests.rules.asking import with_meta
from tests.rules.gpu_steps import Work, kernels, steps_of
from tests.trace_drawing import Row, draw, trace_of

ALIKE = dict.fromkeys("abcdefgh", "gemm")


def headline_of(picture: str, us: int = 10, names: dict[str, str] | None = None) -> Headline:
    return explain(draw(picture, us=us, names=ALIKE | (names or {}))).headline


COMPUTE = """
    us  :0    5    10   15   20   25   30   35
    step:[1    ][2    ][3    ][4    ]
    cpu :[a]    [b]    [c]    [d]
    s7  : [a    ][b    ][c    ][d    ]
"""
HOST = """
    us  :0    5    10   15   20   25   30   35
    step:[1    ][2    ][3    ][4    ]
    cpu :[op][a][op][b][op][c][op][d]
    s7  :     [a]    [b]    [c]    [d]
"""
INPUT = """
    us  :0    5    10   15   20   25   30   35   40
    step:[1        ][2        ][3        ]
    cpu :[data  ][a][data  ][b][data  ][c]
    s7  :         [a]       [b]       [c]
"""
SYNC = """
    us  :0    5    10   15   20   25   30   35   40   45
    step:[1            ][2            ][3            ]
    cpu :[a] [sync ]    [b] [sync ]    [c] [sync ]
    s7  :  [a     ]       [b     ]       [c     ]
"""
COPY = """
    us  :0    5    10   15   20   25   30   35
    step:[1    ][2    ][3    ]
    cpu :[a]    [b]    [c]
    s7  : [a    ][b    ][c    ]
"""


@pytest.mark.parametrize(
    ("picture", "names", "verdict", "words"),
    [
        (COMPUTE, {}, "compute_bound", "The GPU sets the pace: it works "),
        (HOST, {}, "host_bound", "The CPU sets the pace: for "),
        (INPUT, {}, "input_bound", "The data loader sets the pace: for "),
        (SYNC, {}, "sync_bound", "Waiting sets the pace: for "),
        (COPY, dict.fromkeys("abc", "Memcpy HtoD (Pinned -> Device)"), "copy_bound", "Copies set the pace: "),
        (
            COMPUTE,
            dict.fromkeys("abcd", "ncclAllReduce"),
            "communication_bound",
            "Communication sets the pace: ",
        ),
    ],
)
def test_each_verdict_in_words(picture: str, names: dict[str, str], verdict: str, words: str) -> None:
    headline = headline_of(picture, names=names)
    assert headline.verdict == verdict
    assert headline.text.startswith(words)
    assert headline.first is not None


def test_all_settled_steps_agreeing_is_clear() -> None:
    headline = headline_of(COMPUTE)
    assert (headline.confidence, headline.why) == ("clear", "4 of 4 settled steps agree")
    assert headline.steps == [1, 2, 3, 4]
    assert headline.settled is True


def test_one_step_is_at_most_likely() -> None:
    headline = headline_of("""
        us  :0    5
        step:[1    ]
        cpu :[a]
        s7  : [a  ]
    """)
    assert (headline.confidence, headline.why) == ("likely", "one step, and nothing to compare it with")
    assert headline.settled is None


def test_a_recording_without_steps_is_at_most_likely_and_names_its_window() -> None:
    headline = headline_of("""
        us  :0    5    10
        cpu :[op ][a]
        s7  :     [a][a]
    """)
    assert headline.confidence == "likely"
    assert "the time between its first and last event" in headline.text
    assert headline.detail.startswith("The GPU’s first and last event lie 60.0 µs apart")


def test_two_steps_say_that_they_are_not_known_to_be_settled() -> None:
    headline = headline_of("""
        us  :0    5    10
        step:[1    ][2    ]
        cpu :[a]    [b]
        s7  : [a    ][b    ]
    """)
    assert headline.why == "2 of 2 steps, not known to be settled, agree"
    assert headline.confidence == "likely"


def test_where_the_cpu_runs_ahead_both_figures_are_told() -> None:
    detail = headline_of("""
        us  :0    5    10   15   20   25   30   35
        step:[1][2][3]
        cpu :[a][b][c]
        s7  : [a      ][b      ][c      ]
    """).detail
    assert "A step takes 90.0 µs" in detail
    assert "The CPU needs 30.0 µs to queue it and goes on to the next step." in detail
    assert "without torch.cuda.synchronize() measures that, not 90.0 µs." in detail


def test_two_causes_about_equally_large_are_both_named() -> None:
    headline = headline_of("""
        us  :0    5    10   15   20   25   30   35
        step:[1                   ]
        cpu :[a][data    ][op ][b]
        s7  : [a]               [b]
    """)
    assert headline.verdict == "undecided"
    assert "two causes are about equally large" in headline.text
    assert "the data loader" in headline.detail
    assert "a CPU that had not launched the next kernel yet" in headline.detail


def test_time_without_a_known_cause_is_not_called_one() -> None:
    headline = headline_of("""
        us  :0    5    10   15   20   25   30   35   40   45
        step:[1                                            ]
        cpu :[a][op              ][b]
        s7  : [a]                                       [b]
    """)
    assert headline.verdict == "undecided"
    assert headline.text.endswith("and this trace explains only a part of that.")
    assert headline.detail.endswith(
        "goes to a CPU that had not launched the next kernel yet; for 190 µs the trace does not show why."
    )


def test_steps_that_disagree_are_not_said_to_agree() -> None:
    headline = headline_of("""
        us  :0    5    10   15   20   25   30   35   40
        step:[1              ][2              ]
        cpu :[a]              [b][data       ][c]
        s7  : [a             ] [b]             [c]
    """)
    assert headline.confidence == "undecided"
    assert headline.why.startswith("only 1 of 2 steps, not known to be settled, says so")


def test_a_pace_that_is_no_cpu_span_is_told_with_it() -> None:
    detail = headline_of("""
        us  :0    5    10   15   20   25   30   35
        step:[1    ]   [2    ]   [3    ]
        cpu :[a]       [b]       [c]
        s7  : [a ]      [b ]      [c ]
    """).detail
    assert detail.startswith(
        "From one step to the next it takes 100 µs (on the CPU a step lasts 70.0 µs), with"
    )


def test_a_file_from_which_events_were_taken_is_said_to_be_one() -> None:
    operators = [Row(Category.CPU_OP, "aten::mm", 10 * i, 1, external_id=1 + 50 * i) for i in range(1000)]
    work = [
        Row(Category.RUNTIME, "cudaLaunchKernel", 10, 5, correlation=1),
        Row(Category.KERNEL, "gemm", 20, 10, correlation=1, device=0, stream="7"),
        Row(Category.RUNTIME, "cudaLaunchKernel", 9000, 5, correlation=2),
        Row(Category.KERNEL, "gemm", 9010, 10, correlation=2, device=0, stream="7"),
    ]
    report = explain(trace_of([*operators, *work]))
    assert report.headline.detail.endswith(
        "Most events were taken out of this file after recording, so the run itself was fuller."
    )
    assert report.headline.first is not None
    assert report.headline.first.text.startswith("Explain the whole file. ")
    assert {r.rule: r.outcome for r in report.rules}["host-bound"] == "not_measured"


def test_a_hole_without_a_cause_is_undecided() -> None:
    headline = headline_of("""
        us  :0    5    10   15   20   25   30   35   40   45
        step:[1                                            ]
        cpu :[a][b]
        s7  : [a]                                       [b]
    """)
    assert headline.verdict == "undecided"
    assert headline.text.endswith("This trace cannot say why.")
    assert headline.first is not None
    assert headline.first.rule == "unexplained-idle"


def test_false_alarms_are_those_findings_with_a_pill() -> None:
    report = explain(draw(COMPUTE, us=100, names=ALIKE))
    assert {a.rule for a in report.headline.false_alarms} == {
        f.rule for f in report.findings if f.pill is not None
    }


CPU_ONLY = draw("""
    us  :0    5    10
    step:[1        ]
    cpu :[op    ][op]
""")


@pytest.mark.parametrize(
    ("trace", "text", "why"),
    [
        (draw(""), "The file holds no events.", "no events"),
        (with_meta(CPU_ONLY, devices=()), "No GPU was recorded", "no GPU event was recorded"),
        (with_meta(CPU_ONLY, devices=(Device(0, "A100"),)), "No GPU event was recorded", "no GPU event"),
    ],
)
def test_where_nothing_is_measured_it_says_why(trace: Trace, text: str, why: str) -> None:
    headline = explain(trace).headline
    assert (headline.verdict, headline.confidence) == ("not_measured", "undecided")
    assert headline.text.startswith(text)
    assert headline.why.startswith(why)


def test_the_cpus_time_is_told_where_that_is_all_there_is() -> None:
    detail = explain(with_meta(CPU_ONLY, devices=())).headline.detail
    assert detail == "A step takes 11.0 µs on the CPU: 100 % in PyTorch operators."


def test_where_communication_sets_the_pace_the_ranks_come_first() -> None:
    first = headline_of(COMPUTE, names=dict.fromkeys("abcd", "ncclAllReduce")).first
    assert first is not None
    assert first.text.startswith("Compare the ranks. ")


def test_one_step_is_not_called_unlike_itself() -> None:
    headline = headline_of("""
        us  :0    5    10   15   20   25   30
        step:      [1    ]
        cpu :      [op][a]
        s7  :[?]                         [a]
    """)
    assert "the shortest" not in headline.detail.lower()


def test_where_the_gpu_sets_the_pace_a_small_bubble_is_not_the_first_thing() -> None:
    """It is worth a finding, but the GPU's own work is worth far more."""
    report = explain(
        draw(
            """
        us  :0    5    10   15   20   25   30   35   40   45   50   55   60   65   70   75   80   85   90
        step:[1                                                                                         ]
        cpu :[a][sync                                                                    ][b]
        s7  : [a                                                                        ]  [b           ]
    """,
            us=100,
        )
    )
    assert report.headline.verdict == "compute_bound"
    assert any(f.rule == "waits-in-steps" and f.verdict == "fix" for f in report.findings)
    assert report.headline.first is not None
    assert report.headline.first.text.startswith("Look at kernel_a first. ")


def test_what_could_shorten_the_gpus_work_comes_before_its_largest_kernel() -> None:
    report = explain(steps_of([*kernels(400), *[Work("ampere_sgemm_128x64_tn", 150)] * 4]))
    assert report.headline.verdict == "compute_bound"
    assert report.headline.first == First(
        "Let the products run on tensor cores. Matrix products without tensor cores take 60.0 % of the "
        "GPU’s time.",
        "matmul-without-tensor-cores",
    )


def test_gpu_work_of_no_length_gets_no_verdict_and_breaks_no_rule() -> None:
    rows = [
        Row(Category.RUNTIME, "cudaLaunchKernel", 0, 5, correlation=1),
        Row(Category.KERNEL, "ncclDevKernel_AllReduce", 10, 0, correlation=1, device=0, stream="7"),
    ]
    report = explain(trace_of(rows))
    assert report.headline.verdict == "not_measured"
    assert [r.rule for r in report.rules if r.outcome == "failed"] == []
