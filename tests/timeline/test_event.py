"""What an event is, and the way from the source line to the kernel."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.timeline.event import UnknownEvent, describe, find_event
from tb_plugin_explain.timeline.store import Store
from tb_plugin_explain.trace.model import Category, Details, OperatorDetails, Trace
from tb_plugin_explain.trace.reader import read_trace
from tests.timeline.windows import store_of
from tests.trace_drawing import Row, draw, trace_of

CHAIN = [
    Row(Category.ANNOTATION, "ProfilerStep#3", 0, 100),
    Row(Category.PYTHON, "train.py(12): step", 1, 90),
    Row(Category.PYTHON, "nn.Module: Net_0", 2, 80),
    Row(Category.ANNOTATION, "forward", 3, 70),
    Row(Category.PYTHON, "nn.Module: Linear_0", 4, 60),
    Row(Category.CPU_OP, "aten::linear", 5, 50),
    Row(Category.CPU_OP, "aten::addmm", 6, 40),
    Row(Category.RUNTIME, "cudaLaunchKernel", 10, 5, correlation=9),
    Row(Category.KERNEL, "gemm", 30, 20, correlation=9, device=0, stream="7"),
    Row(Category.KERNEL, "gemm", 60, 10, device=0, stream="7"),
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_of(trace_of(CHAIN), tmp_path / "store")


def test_from_the_source_line_to_the_kernel(store: Store) -> None:
    details = describe(store, 8)
    assert [(link.kind, link.event.name, link.event.event) for link in details.chain] == [
        ("source", "train.py(12): step", 1),
        ("module", "nn.Module: Linear_0", 4),
        ("annotation", "forward", 3),
        ("operator", "aten::addmm", 6),
        ("launch", "cudaLaunchKernel", 7),
        ("kernel", "gemm", 8),
    ]
    assert details.module == "Net_0/Linear_0"
    assert (details.step, details.forward, details.launched_count) == (3, None, 0)


def test_the_launch_and_its_latency(store: Store) -> None:
    launch = describe(store, 8).launch
    assert launch is not None
    assert (launch.call.event, launch.latency_us) == (7, 20.0)
    assert launch.parts_us is not None
    assert sum(launch.parts_us.values()) == 20.0
    assert launch.parts_us["call"] == 5.0


def test_a_kernel_without_a_launch(store: Store) -> None:
    details = describe(store, 9)
    assert (details.launch, details.chain, details.module, details.step) == (None, [], None, 3)


def test_what_an_operator_launched(store: Store) -> None:
    details = describe(store, 5)
    assert [event.event for event in details.launched] == [8]
    assert (details.launched_count, details.launched_us) == (1, 20.0)
    assert details.self_us == 10.0
    assert [link.kind for link in details.chain] == ["source", "module", "annotation", "operator"]


def test_figures_of_the_name(store: Store) -> None:
    stats = describe(store, 8).stats
    assert (stats.count, stats.total_us) == (2, 30.0)
    assert (stats.averaged_count, stats.averaged_total_us, stats.averaged_median_us) == (1, 20.0, 20.0)


def test_a_long_name_is_whole_in_one_place(tmp_path: Path) -> None:
    name = "template<" * 2000
    details = describe(store_of(trace_of([Row(Category.CPU_OP, name, 1, 2)]), tmp_path / "store"), 0)
    assert details.full_name == name
    assert details.event.name == name[:256]


def test_events_that_are_not_shown(tmp_path: Path) -> None:
    rows = [Row(Category.INSTANT, "[memory]", 1, 0), Row(Category.CPU_OP, "op", 1, 2)]
    store = store_of(trace_of(rows), tmp_path / "store")
    for ordinal in (0, 2, -1, 10**12):
        with pytest.raises(UnknownEvent):
            find_event(store, ordinal)


def test_the_forward_operator_of_a_backward_launch(tmp_path: Path) -> None:
    rows = [
        Row(Category.ANNOTATION, "ProfilerStep#1", 0, 100),
        Row(Category.PYTHON, "train.py(3): loss", 1, 20),
        Row(Category.PYTHON, "nn.Module: Linear_0", 1, 18),
        Row(Category.CPU_OP, "aten::mm", 2, 5),
        Row(Category.CPU_OP, "autograd::engine::evaluate_function: MmBackward0", 40, 20, thread="2"),
        Row(Category.RUNTIME, "cudaLaunchKernel", 45, 2, thread="2", correlation=1),
        Row(Category.KERNEL, "gemm", 50, 5, correlation=1, device=0, stream="7"),
    ]
    trace = trace_of(rows)
    told = OperatorDetails(np.array([3, 4]), np.array([11, 11]), np.array([-1, -1]))
    linked = Trace(
        trace.meta,
        trace.events,
        trace.names,
        trace.processes,
        trace.lanes,
        trace.streams,
        Details(operators=told),
    )
    details = describe(store_of(linked, tmp_path / "store"), 6)
    assert details.forward is not None
    assert details.forward.event == 3
    assert details.module == "Linear_0"
    assert [link.event.name for link in details.chain if link.kind == "source"] == ["train.py(3): loss"]


def test_an_event_that_nesting_cuts_tells_its_whole_length(tmp_path: Path) -> None:
    rows = [Row(Category.ANNOTATION, "part", 0, 50), Row(Category.CPU_OP, "op", 20, 60)]
    store = store_of(trace_of(rows), tmp_path / "store")
    assert store.events.duration_ns.tolist() == [20_000, 60_000]
    assert describe(store, 0).event.duration_us == 50.0


def test_a_drawn_trace_without_steps(tmp_path: Path) -> None:
    store = store_of(draw("us :0    5\ncpu:[a]\ns7 :  [a]"), tmp_path / "store")
    assert describe(store, 1).step is None


@pytest.mark.parametrize(
    "name",
    [
        "luatil__trace_04.json.gz",
        "hta__negative_queue_length_values_check_rank0.json.gz",
        "tracelens__h100__google_owlv2-large-patch14-ensemble__1016001.json.gz",
    ],
)
def test_chains_are_those_of_the_analyses(shared_traces: Path, tmp_path: Path, name: str) -> None:
    trace = read_trace(str(shared_traces / name))
    run, store = RunAnalyses(trace), store_of(trace, tmp_path / "store")
    gpu, ordinal = run.recording.gpu, trace.events.ordinal
    linked = np.flatnonzero(gpu.linked)
    chosen = np.array(random.Random(5).sample(linked.tolist(), 150))
    places = run.origins.of(gpu.launch[chosen])
    steps = [run.recording.steps[i].number if i >= 0 else None for i in run.recording.step_of_gpu[chosen]]
    for i, work in enumerate(chosen.tolist()):
        details = describe(store, int(ordinal[gpu.row[work]]))
        chain = {link.kind: link.event for link in details.chain}
        operator, source = int(places.operator_row[i]), int(places.source[i])
        assert chain["launch"].event == int(ordinal[gpu.launch[work]])
        assert chain["kernel"].event == details.event.event
        assert ("operator" in chain) == (operator >= 0)
        if operator >= 0:
            assert chain["operator"].event == int(ordinal[operator])
        assert ("source" in chain) == (source >= 0)
        if source >= 0:
            assert chain["source"].name == trace.names[source][:256]
        assert details.module == run.origins.modules.text(int(places.module[i]))
        assert details.step == steps[i]
        assert details.launch is not None
        if details.launch.parts_us is not None:
            assert sum(details.launch.parts_us.values()) == pytest.approx(details.launch.latency_us)


@pytest.mark.parametrize("name", ["tracelens__h100__google_owlv2-large-patch14-ensemble__1016001.json.gz"])
def test_own_time_is_the_operators_own_time(shared_traces: Path, tmp_path: Path, name: str) -> None:
    trace = read_trace(str(shared_traces / name))
    run, store = RunAnalyses(trace), store_of(trace, tmp_path / "store")
    nesting = run.origins.nesting
    children = np.zeros(len(trace.events), np.int64)
    below = np.flatnonzero(nesting.parent >= 0)
    np.add.at(children, nesting.parent[below], nesting.length_ns[below])
    for row in random.Random(5).sample(nesting.order.tolist(), 300):
        details = describe(store, int(trace.events.ordinal[row]))
        assert details.self_us * 1000 == pytest.approx(nesting.length_ns[row] - children[row], abs=0.6)
