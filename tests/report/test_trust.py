"""What a trace can tell, what it cannot, and how to record it better."""

from __future__ import annotations

from tb_plugin_explain.report.trust import assess_trust
from tb_plugin_explain.report_schema import Trust
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Trace
from tests.rules.asking import with_meta
from tests.trace_drawing import draw

PLAIN = draw(
    """
    us  :0    5    10   15
    step:[1  ][2  ][3  ]
    cpu :[a]  [b]  [c]  [sync ]
    s7  : [a]  [b]  [c]
""",
    names=dict.fromkeys("abc", "gemm"),
)


def trust_of(trace: Trace) -> Trust:
    return assess_trust(RunAnalyses(trace))


def titles(trust: Trust) -> tuple[set[str], set[str]]:
    return {c.title for c in trust.can}, {c.title for c in trust.cannot}


def test_a_plain_trace() -> None:
    trust = trust_of(PLAIN)
    can, cannot = titles(trust)
    assert can == {"Launch → kernel links", "No clock skew seen", "Closing wait found", "Settled steps"}
    assert cannot == {"Python lines", "Tensor shapes"}
    assert trust.can[0].text == "Of 3 GPU events, 3 are linked to a launch."
    assert trust.record_better is not None
    assert "with_stack=True" in trust.record_better
    assert "ProfilerActivity" not in trust.record_better


def test_a_trace_that_lacks_nothing_needs_no_better_recording() -> None:
    trust = trust_of(with_meta(PLAIN, with_stack=True, record_shapes=True))
    assert trust.cannot == []
    assert trust.record_better is None
    assert {"Python lines", "Tensor shapes"} <= titles(trust)[0]


def test_one_rank_of_several() -> None:
    trust = trust_of(with_meta(PLAIN, world_size=8))
    assert "Other ranks" in titles(trust)[1]
    assert "Other ranks" not in titles(trust_of(with_meta(PLAIN, world_size=1)))[1]


def test_a_recording_without_steps_or_gpu_events() -> None:
    trust = trust_of(
        draw("""
        us  :0    5
        cpu :[a]
    """)
    )
    assert titles(trust)[1] == {"Steps", "The GPU’s work", "Python lines", "Tensor shapes"}
    assert trust.record_better is not None
    assert "ProfilerActivity.CUDA" in trust.record_better


def test_waits_between_streams_and_graphs() -> None:
    trust = trust_of(
        draw("""
        us  :0    5    10   15   20   25   30   35   40   45
        step:[1                                          ]
        cpu :[cudaStreamWaitEvent][cudaGraphLaunch a]
        s7  :                                        [a]
    """)
    )
    assert {"Waits between streams", "Operators inside graphs"} <= titles(trust)[1]
    (between,) = [c for c in trust.cannot if c.title == "Waits between streams"]
    assert between.text == "1 call made one stream wait for another; how long is not recorded."
    assert trust.record_better is not None
    assert "enable_cuda_sync_events=True" in trust.record_better


def test_clocks_that_disagree_are_not_said_to_agree() -> None:
    trust = trust_of(
        draw("""
        us  :0    5    10
        step:[1       ]
        cpu :   [a]
        s7  :[a]
    """)
    )
    assert "Clocks agree" not in titles(trust)[0]
