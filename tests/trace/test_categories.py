"""Every spelling of a category becomes what it means."""

from __future__ import annotations

import pytest

from tb_plugin_explain.trace.categories import Kind, category_by_name, kind_of
from tb_plugin_explain.trace.model import Category


@pytest.mark.parametrize(
    ("category", "expected"),
    [
        ("cpu_op", Category.CPU_OP),
        ("Operator", Category.CPU_OP),
        ("user_annotation", Category.ANNOTATION),
        ("gpu_user_annotation", Category.GPU_ANNOTATION),
        ("gpu_user_Annotation", Category.GPU_ANNOTATION),
        ("cuda_runtime", Category.RUNTIME),
        ("Runtime", Category.RUNTIME),
        ("privateuse1_runtime", Category.RUNTIME),
        ("glow_runtime", Category.OTHER),
        ("cuda_driver", Category.DRIVER),
        ("xpu_driver", Category.DRIVER),
        ("Kernel", Category.KERNEL),
        ("gpu_memcpy", Category.MEMCPY),
        ("Memset", Category.MEMSET),
        ("overhead", Category.OVERHEAD),
        ("python_function", Category.PYTHON),
        ("cuda_sync", Category.SYNC_ROW),
        ("cuda_event", Category.SYNC_ROW),
        ("mtia_workloadd", Category.SYNC_ROW),
        ("cpu_instant_event", Category.INSTANT),
        ("Trace", Category.OTHER),
        ("hpu_op", Category.OTHER),
        ("mtia_ccp_events", Kind.MTIA),
        (None, Kind.BY_NAME),
        ("", Kind.BY_NAME),
        (7, Kind.BY_NAME),
    ],
)
def test_complete_event(category: object, expected: int) -> None:
    assert kind_of("X", category) == expected


@pytest.mark.parametrize(
    ("phase", "category", "expected"),
    [
        ("i", "cpu_instant_event", Category.INSTANT),
        ("I", "cpu_instant_event", Category.INSTANT),
        ("i", None, Kind.NO_ROW),
        ("s", "ac2g", Kind.NO_ROW),
        ("C", "hardware_counters", Kind.NO_ROW),
        ("B", "cpu_op", Kind.BEGIN),
        ("E", None, Kind.END),
        ("M", None, Kind.METADATA),
        (None, "cpu_op", Kind.MALFORMED),
        ("", "cpu_op", Kind.MALFORMED),
        (1, "cpu_op", Kind.MALFORMED),
    ],
)
def test_phase(phase: object, category: object, expected: int) -> None:
    assert kind_of(phase, category) == expected


@pytest.mark.parametrize(
    ("kind", "process", "name", "expected"),
    [
        (Kind.BY_NAME, "CUDA functions", "sgemm", Category.KERNEL),
        (Kind.BY_NAME, "CPU functions", "aten::mm", Category.CPU_OP),
        (Kind.BY_NAME, "", "Record Window End", Category.OTHER),
        (Kind.BY_NAME, "Traces", "Iteration Start: PyTorch Profiler", Category.OTHER),
        (Kind.MTIA, "9", "dma_request", Category.MEMCPY),
        (Kind.MTIA, "9", "event_wait", Category.SYNC_ROW),
        (Kind.MTIA, "9", "event_record", Category.SYNC_ROW),
        (Kind.MTIA, "9", "add-dtype_Float", Category.KERNEL),
    ],
)
def test_by_name(kind: int, process: str, name: str, expected: Category) -> None:
    assert category_by_name(kind, process, name) == expected
