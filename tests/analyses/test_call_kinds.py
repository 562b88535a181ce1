"""Which rows are waits, allocator calls, loading and launches."""

from __future__ import annotations

from tb_plugin_explain.analyses.recording import Recording
from tb_plugin_explain.trace.model import Bools, Category, Trace
from tests.trace_drawing import Row, draw, trace_of


def marked(trace: Trace, mask: Bools) -> list[str]:
    return [trace.name_of(row) for row in mask.nonzero()[0].tolist()]


def call(name: str, category: Category = Category.RUNTIME) -> Row:
    return Row(category, name, 10, 5)


def test_every_mask_marks_its_calls() -> None:
    names = (
        "cudaLaunchKernel",
        "cudaDeviceSynchronize",
        "cudaStreamSynchronize",
        "cudaMalloc",
        "cuModuleLoadData",
    )
    trace = trace_of([call(name) for name in (*names, "hipMemcpyWithStream", "cudaGetDevice")])
    kinds = Recording(trace).kinds
    assert marked(trace, kinds.call) == list(trace.names)
    assert marked(trace, kinds.kernel_launch) == ["cudaLaunchKernel"]
    assert marked(trace, kinds.explicit_wait) == ["cudaDeviceSynchronize", "cudaStreamSynchronize"]
    assert marked(trace, kinds.device_wide_wait) == ["cudaDeviceSynchronize"]
    assert marked(trace, kinds.implicit_wait) == ["cudaMalloc", "cuModuleLoadData", "hipMemcpyWithStream"]
    assert marked(trace, kinds.allocator) == ["cudaMalloc"]
    assert marked(trace, kinds.loading) == ["cuModuleLoadData"]


def test_only_calls_are_waits_and_launches() -> None:
    names = (
        "cudaLaunchKernel",
        "cudaDeviceSynchronize",
        "cudaMalloc",
        "cuModuleLoadData",
        "hipMemcpyWithStream",
    )
    kinds = Recording(trace_of([call(name, Category.CPU_OP) for name in names])).kinds
    masks = (
        kinds.call,
        kinds.kernel_launch,
        kinds.explicit_wait,
        kinds.implicit_wait,
        kinds.allocator,
        kinds.loading,
    )
    assert not any(mask.any() for mask in masks)


def test_only_overhead_rows_are_overhead() -> None:
    picture = """
        us      :0    5    10   15   20   25
        cpu     :[Activity] [op]
        overhead:[prof  ] [load  ] [full   ]
    """
    trace = draw(picture, names={"op": "Activity Buffer Request"})
    kinds = Recording(trace).kinds
    assert (
        kinds.overhead_profiler.sum() == kinds.overhead_loading.sum() == kinds.overhead_full_queue.sum() == 1
    )
    assert marked(trace, kinds.overhead_full_queue) == ["Command Buffer Full"]


def test_a_copy_call_waits_where_its_own_copy_is_pageable() -> None:
    picture = """
        us :0    5    10   15   20
        cpu:[copy a][copy b][p     ]
        s7 :    [a ]    [b  ]  [p  ]
    """
    trace = draw(picture, names={"a": "Memcpy DtoH (Device -> Pageable)", "p": "PageableKernel"})
    assert Recording(trace).kinds.implicit_wait.nonzero()[0].tolist() == [0]


def test_lost_calls_are_no_calls() -> None:
    trace = trace_of([Row(Category.RUNTIME, "cudaDeviceSynchronize", 0, 0)])
    assert not Recording(trace).kinds.call.any()
