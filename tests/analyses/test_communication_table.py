"""Communication kernels: which collective, whose library, exposed or overlapped."""

from __future__ import annotations

import pytest

from tb_plugin_explain.analyses.communication_table import collective_of, library_of
from tb_plugin_explain.step_analyses import RunAnalyses
from tests.kernel_details import with_collectives
from tests.trace_drawing import draw


@pytest.mark.parametrize(
    ("name", "collective", "library"),
    [
        ("ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevComm*)", "all_reduce", "nccl"),
        ("ncclKernel_ReduceScatter_RING_LL_Sum_float(ncclWorkElem)", "reduce_scatter", "nccl"),
        ("ncclDevKernel_Reduce_Sum_f32_RING_LL", "reduce", "nccl"),
        ("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", "send_recv", "nccl"),
        ("ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", None, "nccl"),
        ("void vllm::cross_device_reduce_1stage<__half, 2>", "all_reduce", "custom_all_reduce"),
        ("void multimem_all_reduce_kernel<c10::BFloat16>", "all_reduce", "symmetric_memory"),
        ("two_shot_all_reduce_kernel", "all_reduce", "symmetric_memory"),
        ("mscclpp_allgather", "all_gather", "mscclpp"),
        ("rcclKernel_Broadcast", "broadcast", "rccl"),
        ("rocshmem_put_kernel", None, "rocshmem"),
    ],
)
def test_names(name: str, collective: str | None, library: str | None) -> None:
    assert (collective_of(name), library_of(name)) == (collective, library)


OVERLAP = draw(
    """
    us  :0    5    10   15   20   25   30
    step:[1                            ]
    cpu :[a][b][k]
    s7  :       [a         ]
    s8  :              [b         ]
    s9  :                    [k         ]
    """,
    names={"a": "ncclDevKernel_AllReduce", "b": "ncclDevKernel_AllGather"},
)


def test_exposed_and_overlapped_sum_to_the_union() -> None:
    run = RunAnalyses(OVERLAP)
    second, first = run.communication_rows  # of equal times, by name
    # The all-reduce covers [7, 19), the all-gather what it adds: [19, 26), from 20 on beside the kernel.
    assert (first.collective, first.time_ns, first.union_ns, first.exposed_ns) == (
        "all_reduce",
        12_000,
        12_000,
        12_000,
    )
    assert (second.collective, second.time_ns, second.union_ns, second.exposed_ns) == (
        "all_gather",
        12_000,
        7_000,
        1_000,
    )
    activity = run.steps[0].gpu[0].activity
    assert first.union_ns + second.union_ns == activity.communication_ns
    assert first.exposed_ns + second.exposed_ns == activity.communication_exposed_ns


def test_a_recorded_collective_goes_before_the_name() -> None:
    trace = draw(
        """
    us  :0    5    10
    step:[1           ]
    cpu :[a]
    s7  :    [a  ]
    """,
        names={"a": "ncclDevKernel_Generic"},
    )
    (row,) = RunAnalyses(
        with_collectives(trace, {"ncclDevKernel_Generic": "_allgather_base"}, 64)
    ).communication_rows
    assert (row.collective, row.library, row.recorded, row.bytes) == ("all_gather", "nccl", True, 64)
    (plain,) = RunAnalyses(trace).communication_rows
    assert (plain.collective, plain.recorded, plain.bytes) == (None, False, None)


def test_the_order_is_that_of_all_kernels_of_the_device() -> None:
    order = RunAnalyses(OVERLAP).collective_order
    assert order is not None
    assert [order.kinds[k][1] for k in order.kind.tolist()] == ["all_reduce", "all_gather"]
    assert order.start_ns.tolist() == [7_000, 14_000]
    assert (
        RunAnalyses(draw("us:0\nstep:[1 ]\ncpu :[a]\ns7  : [a]".replace("us:", "us  :"))).collective_order
        is None
    )
