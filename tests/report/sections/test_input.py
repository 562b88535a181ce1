"""Section ``input``: figures of a drawn trace, and loaders of recorded ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb_plugin_explain.report.sections import input as pipeline
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.reader import read_trace
from tests.trace_drawing import draw

STEPS = """
    us  :0    5    10   15   20   25   30   35   40
    step:[1                 ][2                 ]
    cpu :[data   ][copy a][b][data   ][copy c][d]
    s7  :          [a   ]  [b]        [c   ]   [d]
"""
NAMES = {"a": "Memcpy HtoD (Pageable -> Device)", "c": "Memcpy HtoD (Pageable -> Device)"}


def test_a_loader_in_the_process_and_pageable_copies() -> None:
    section = pipeline.build(RunAnalyses(draw(STEPS, names=NAMES)))
    assert section is not None
    assert (section.workers, section.device) == ("in_process", 0)
    second = section.steps[1]
    assert (second.loader_us, second.loader_share, second.loader_calls) == (9, 0.45, 1)
    assert second.idle_us == 8  # from the end of [b] at 21 to the end of [data] at 29
    assert (second.copies, second.copy_us, second.copy_exposed_us) == (1, 6, 6)
    assert (second.pageable, second.pinned) == (1, 0)
    assert section.typical.loader_us == 9
    assert section.not_measured == {}


def test_without_a_gpu_copies_are_not_known() -> None:
    section = pipeline.build(RunAnalyses(draw("us  :0    5    10\nstep:[1        ]\ncpu :[data][op]")))
    assert section is not None
    assert (section.steps[0].copies, section.steps[0].idle_us) == (None, None)
    assert "device" in section.not_measured


def test_no_sign_of_an_input_pipeline() -> None:
    assert pipeline.build(RunAnalyses(draw("us  :0    5\nstep:[1   ]\ncpu :[op ]"))) is None
    assert pipeline.build(RunAnalyses(draw("us  :0    5\ncpu :[data]"))) is None


def test_real_loaders_are_told_apart(shared_traces: Path) -> None:
    for name, workers in (
        ("kineto__2021-02-23_resnet50*", "in_process"),
        ("astrasim__megatron*0*", "worker_processes"),
    ):
        (path,) = shared_traces.glob(name)
        section = pipeline.build(RunAnalyses(read_trace(path)))
        assert section is not None
        assert section.workers == workers
        assert section.typical.loader_us == pytest.approx(43969.0 if workers == "in_process" else 52.0)
