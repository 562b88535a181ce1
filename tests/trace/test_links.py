"""GPU events and their launches."""

from __future__ import annotations

import numpy as np
import pytest

from tb_plugin_explain.trace.links import GpuWork, find_gpu_work
from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, draw, trace_of


def work_of(trace: Trace) -> GpuWork:
    return find_gpu_work(trace, np.zeros(len(trace.events), np.bool_))


def call(correlation: int, process: str = "main", external_id: int = -1, at_us: float = 10) -> Row:
    return Row(Category.RUNTIME, "cudaLaunchKernel", at_us, 5, process, "1", correlation, external_id)


def kernel(correlation: int, external_id: int = -1, at_us: float = 20, duration_us: float = 5) -> Row:
    return Row(
        Category.KERNEL, "k", at_us, duration_us, "", "", correlation, external_id, device=0, stream="7"
    )


def test_a_launch_is_the_call_of_the_same_correlation() -> None:
    gpu = work_of(
        draw("""
        us :0    5
        cpu:[a] [b]
        s7 :  [b] [a]
    """)
    )
    assert gpu.launch.tolist() == [1, 0]
    assert (gpu.launch_start_ns.tolist(), gpu.launch_end_ns.tolist()) == ([4000, 0], [7000, 3000])


def test_one_launch_can_own_many_events_on_several_devices() -> None:
    gpu = work_of(
        draw("""
        us   :0    5    10
        cpu  :[a]
        s7   :    [a] [a]
        d1.s7:     [a]
    """)
    )
    assert gpu.launch.tolist() == [0, 0, 0]
    assert gpu.devices == (0, 1)
    assert gpu.device.tolist() == [0, 1, 0]


def test_a_driver_call_launches_too_but_an_operator_does_not() -> None:
    operator = call(2)._replace(category=Category.CPU_OP)
    driver = call(1)._replace(category=Category.DRIVER)
    assert work_of(trace_of([driver, operator, kernel(1), kernel(2)])).launch.tolist() == [0, -1]


def test_correlation_zero_links_nothing() -> None:
    gpu = work_of(trace_of([call(0), kernel(0)]))
    assert gpu.launch.tolist() == [-1]
    assert gpu.process.tolist() == [-1]
    assert gpu.ambiguous == 0


def test_the_external_id_decides_where_a_correlation_stands_twice() -> None:
    rows = [call(3, "p", 11), call(3, "q", 12), kernel(3, 12), kernel(3, 11)]
    gpu = work_of(trace_of(rows))
    assert gpu.launch.tolist() == [1, 0]
    assert gpu.ambiguous == 0


def test_the_external_id_is_ignored_where_the_correlation_is_unique() -> None:
    assert work_of(trace_of([call(3, "p", 11), kernel(3, 12)])).launch.tolist() == [0]


@pytest.mark.parametrize(
    ("first", "second", "gpu_id"), [(-1, -1, -1), (11, 11, 11), (11, 12, 13), (-1, 12, -1)]
)
def test_what_stays_ambiguous_is_left_unlinked(first: int, second: int, gpu_id: int) -> None:
    gpu = work_of(trace_of([call(3, "p", first), call(3, "q", second), kernel(3, gpu_id)]))
    assert gpu.launch.tolist() == [-1]
    assert gpu.ambiguous == 1


def test_lost_and_negative_events_are_left_out() -> None:
    rows = [call(1), kernel(1, at_us=0, duration_us=0), kernel(1, duration_us=-1), kernel(1, at_us=30)]
    gpu = work_of(trace_of(rows))
    assert gpu.row.tolist() == [3]


def test_a_real_event_of_length_zero_stays() -> None:
    assert work_of(trace_of([call(1), kernel(1, duration_us=0)])).row.tolist() == [1]


def test_events_come_by_start_and_then_in_the_order_of_the_file() -> None:
    rows = [kernel(1, at_us=30), kernel(2, at_us=20), kernel(3, at_us=20)]
    assert work_of(trace_of(rows)).row.tolist() == [1, 2, 0]


def test_an_empty_trace_and_one_without_gpu_have_no_work() -> None:
    assert len(work_of(trace_of([]))) == 0
    assert work_of(trace_of([call(1)])).devices == ()
