"""What must hold in ``kernels``, ``copies`` and ``communication`` of every trace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import tb_plugin_explain
from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.report.sections import communication, copies, kernels
from tb_plugin_explain.report_sections.copies import CopyFigures
from tb_plugin_explain.report_sections.kernels import KernelRow, Kernels, RestOfKernels
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category
from tb_plugin_explain.trace.reader import read_trace
from tests.kernel_details import with_kernel_details
from tests.trace_drawing import Row, draw, trace_of

SHARED = Path(os.environ.get("EXPLAIN_SHARED", Path(__file__).resolve().parents[3] / "shared"))
SAMPLES = sorted((Path(tb_plugin_explain.__file__).parent / "samples").glob("*/*.json*"))
TRACES = [*SAMPLES, *sorted((SHARED / "traces").glob("*.json.gz"))]


def total(values: list[float]) -> object:
    return pytest.approx(sum(values), abs=0.01)


def assert_kernels_sum(found: Kernels) -> None:
    rest = [found.rest] if found.rest else []
    rows: list[KernelRow | RestOfKernels] = [*found.rows, *rest]
    assert found.count == sum(r.count for r in rows)
    assert found.kernel_us == total([r.time_us for r in rows])
    assert found.device_us == total([found.kernel_us, found.copy_us, found.memset_us])
    assert found.names == len(found.rows) + sum(r.names for r in rest)
    assert sum(r.typical_us for r in rows) <= found.typical_device_us + 0.01
    for row in found.rows:
        assert row.min_us <= row.median_us <= row.max_us
        assert 0 <= (row.short.count or 0) <= row.short.judged_count <= row.count
        assert row.occupancy_percent is None or row.occupancy_percent > 0
        assert row.occupancy_share is None or 0 <= row.occupancy_share <= 1
        if row.shapes == len(row.by_shape):
            assert (row.count, row.time_us) == (
                sum(s.count for s in row.by_shape),
                total([s.time_us for s in row.by_shape]),
            )
        for shape in row.by_shape:
            assert shape.spread is None or shape.spread >= 0
            assert (shape.between is None) or shape.shape is not None


def assert_is_possible(figures: CopyFigures) -> None:
    assert 0 <= figures.alone_us <= figures.exposed_us <= figures.time_us + 0.001
    assert figures.blocking_count <= figures.count
    assert (figures.bytes is None) == (figures.sized_count == 0)
    assert figures.small_count <= figures.sized_count <= figures.count


def assert_sections_hold(run: RunAnalyses) -> None:
    gpus = [gpu for i in run.averaged for gpu in run.steps[i].gpu]
    kernel, copy = kernels.build(run), copies.build(run)
    talk = communication.build(run)
    assert (kernel is None) == (copy is None) == (not gpus)
    if kernel is None or copy is None:
        assert talk is None
        return
    assert_kernels_sum(kernel)
    assert kernel.device_us == total(
        [float(run.averaged_work.duration_ns[run.averaged_work.step == i].sum()) / 1000 for i in run.averaged]
    )
    assert copy.copies.exposed_us == total([g.activity.copy_exposed_ns / 1000 for g in gpus])
    assert copy.copies.time_us == pytest.approx(kernel.copy_us)
    assert copy.memsets.time_us == pytest.approx(kernel.memset_us)
    assert copy.copies.count + copy.memsets.count == sum(r.figures.count for r in copy.rows) + (
        copy.rest.count if copy.rest else 0
    )
    for figures in (copy.copies, copy.memsets, *(r.figures for r in copy.rows)):
        assert_is_possible(figures)
    communicating = [g.activity for g in gpus if g.activity.communication_ns]
    assert (talk is None) == (not run.communication_rows)
    if talk is not None:
        assert talk.union_us == total([a.communication_ns / 1000 for a in communicating])
        assert talk.exposed_us == total([a.communication_exposed_ns / 1000 for a in communicating])
        assert talk.overlapped_us == pytest.approx(talk.union_us - talk.exposed_us, abs=0.01)
        assert talk.waiting_us is None


@pytest.mark.parametrize("path", TRACES, ids=lambda p: p.name)
def test_parts_sum_to_wholes(path: Path) -> None:
    try:
        trace = read_trace(str(path))
    except TraceError as refused:
        assert refused.kind == "not_a_trace"  # noqa: PT017
        return
    assert_sections_hold(RunAnalyses(trace))


def test_rows_beyond_the_limit_are_summed() -> None:
    rows = [Row(Category.ANNOTATION, "ProfilerStep#1", 0, 10_000)]
    for i in range(1, 204):
        rows.append(Row(Category.RUNTIME, "cudaLaunchKernel", i * 10, 2, correlation=i))
        rows.append(Row(Category.KERNEL, f"k{i}", i * 10 + 3, i / 100, correlation=i, device=0, stream="7"))
    found = kernels.build(RunAnalyses(trace_of(rows)))
    assert found is not None
    assert found.rest is not None
    assert (len(found.rows), found.rest.names, found.rest.count) == (200, 3, 3)
    assert found.rest.time_us == pytest.approx(0.01 + 0.02 + 0.03)
    assert_kernels_sum(found)


def test_sections_are_none_without_gpu_work() -> None:
    run = RunAnalyses(draw("us  :0\nstep:[1    ]\ncpu :[op]"))
    assert (kernels.build(run), copies.build(run), communication.build(run)) == (None, None, None)


def test_the_slowest_step_is_named_by_its_number() -> None:
    trace = draw(
        """
    us  :0    5    10   15   20   25   30   35   40
    step:[4      ][5         ][6     ][7      ]
    cpu :[a]       [b]         [c]     [d]
    s7  :   [a]       [b    ]     [c]     [d]
    """,
        names=dict.fromkeys("abcd", "gemm"),
    )
    found = kernels.build(RunAnalyses(with_kernel_details(trace)))
    assert found is not None
    (row,) = found.rows
    assert row.by_shape[0].slowest_step in (4, 5, 6, 7)
