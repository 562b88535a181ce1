"""Section ``profiler_cost``."""

from __future__ import annotations

from tb_plugin_explain.report.sections import profiler_cost
from tb_plugin_explain.step_analyses import RunAnalyses
from tests.trace_drawing import draw, trace_of

STEP = """
    us      :0    5    10   15   20   25
    step    :[1                     ]
    cpu     :[a] [b]  [py]
    overhead:     [prof  ]
    s7      : [a]          [b]
"""


def test_records_densities_and_what_was_delayed() -> None:
    section = profiler_cost.build(RunAnalyses(draw(STEP)))
    assert section is not None
    (step,) = section.steps
    assert (step.number, step.python_frames, step.memory_events) == (1, 1, 0)
    assert step.python_frames_per_ms == 1 / 0.024
    assert (step.overhead_us, step.latency_us, step.idle_us) == (8, 8, 8)
    (kind,) = section.overhead
    assert (kind.name, kind.count, kind.total_us, kind.steps) == ("Activity Buffer Request", 1, 8, [1])
    assert list(section.not_measured) == ["slowdown"]
    assert section.modes.with_stack


def test_no_overhead_event_proves_nothing() -> None:
    section = profiler_cost.build(RunAnalyses(draw("us  :0    5\nstep:[1   ]\ncpu :[op ]")))
    assert section is not None
    assert section.overhead == []
    assert set(section.not_measured) == {"slowdown", "overhead"}
    assert section.steps[0].latency_us is None


def test_a_file_without_events_has_no_section() -> None:
    assert profiler_cost.build(RunAnalyses(trace_of([]))) is None
