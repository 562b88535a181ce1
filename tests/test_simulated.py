"""The analyses against a machine whose truth is known, and against rows at random."""

from __future__ import annotations

from collections import Counter

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tb_plugin_explain.step_analyses import GpuStepAnalyses, RunAnalyses, StepAnalyses
from tb_plugin_explain.trace.model import Category
from tests.simulate import Action, simulate
from tests.trace_drawing import WORDS, Row, in_us, trace_of

LENGTH = st.integers(1, 60)
FIRST = [Action("step"), Action("launch", 3, 10)]


def actions(*kinds: str, streams: tuple[int, ...] = (7,)) -> st.SearchStrategy[list[Action]]:
    """Actions of these kinds after a first launch."""
    one = st.builds(Action, st.sampled_from(kinds), LENGTH, LENGTH, st.sampled_from(streams))
    plain = one.map(lambda a: a._replace(us=0) if a.kind in ("step", "wait") else a)
    return st.lists(plain, min_size=1, max_size=25).map(lambda chosen: [*FIRST, *chosen])


def idle_of(run: RunAnalyses) -> dict[str, float]:
    causes: Counter[str] = Counter()
    for step in run.steps:
        for gpu in step.gpu:
            causes.update(gpu.idle.by_cause)
    return in_us(causes)


@given(actions("step", "work", "load", "buffer", "launch", "launch"))
@settings(deadline=None)
def test_without_waits_the_causes_of_idle_time_are_the_true_ones(chosen: list[Action]) -> None:
    simulation = simulate([*chosen, Action("launch", 2, 5), Action("work", 1)])
    assert idle_of(RunAnalyses(simulation.trace())) == simulation.idle_us()


@given(actions("work", "load", "launch"), actions("work", "load", "launch"))
@settings(deadline=None)
def test_the_bubble_is_how_much_earlier_the_next_kernel_starts_without_the_wait(
    before: list[Action], after: list[Action]
) -> None:
    after = [*after[2:], Action("launch", 3, 5), Action("work", 1)]
    waiting, without = simulate([*before, Action("wait"), *after]), simulate([*before, *after])
    waited = next(d for d in waiting.done if d.action.kind == "wait")
    refill = next(i for i, k in enumerate(waiting.kernels) if k.launched_us >= waited.end_us)
    # Where the device was done before the wait began, there was nothing to wait for.
    assume(max(k.end_us for k in waiting.kernels[:refill]) > waited.start_us)
    saved = waiting.kernels[refill].start_us - without.kernels[refill].start_us
    run = RunAnalyses(waiting.trace())
    assert sum(step.bubble_ns for step in run.steps) == 1000 * saved
    assert saved <= waited.end_us - waited.start_us


@given(actions("step", "work", "load", "buffer", "launch", "launch", "wait"))
@settings(deadline=None)
def test_no_bubble_is_longer_than_its_waits(chosen: list[Action]) -> None:
    simulation = simulate([*chosen, Action("launch", 2, 5), Action("work", 1)])
    run = RunAnalyses(simulation.trace())
    waited = sum(d.end_us - d.start_us for d in simulation.done if d.action.kind == "wait")
    assert sum(step.sync.explicit.total_ns for step in run.steps) == 1000 * waited
    assert sum(step.bubble_ns for step in run.steps) <= 1000 * waited


@given(actions("step", "work", "load", "buffer", "launch", "launch", "wait", streams=(7, 8, 9)))
@settings(deadline=None)
def test_the_parts_of_simulated_runs_sum_to_their_wholes(chosen: list[Action]) -> None:
    check_sums(RunAnalyses(simulate([*chosen, Action("work", 1)]).trace()))


def _step(number: int, start: int, duration: int, process: str, thread: str) -> Row:
    return Row(Category.ANNOTATION, f"ProfilerStep#{number}", start, duration, process, thread)


def _cpu(
    word: tuple[Category, str], start: int, duration: int, process: str, thread: str, correlation: int
) -> Row:
    return Row(*word, start, duration, process, thread, correlation)


def _gpu(
    word: tuple[Category, str], start: int, duration: int, correlation: int, device: int, stream: str
) -> Row:
    return Row(*word, start, duration, correlation=correlation, device=device, stream=stream)


def rows() -> st.SearchStrategy[list[Row]]:
    """Any rows in any order: nested, overlapping, lost, of two processes and two devices."""
    start, duration, correlation = st.integers(0, 120), st.integers(-1, 40), st.integers(0, 12)
    process, thread = st.sampled_from(["p", "q"]), st.sampled_from(["1", "2"])
    launch = (Category.RUNTIME, "cudaLaunchKernel")
    called = st.sampled_from([*WORDS.values(), *[launch] * 6])
    ran = st.sampled_from([
        (Category.KERNEL, "gemm"), (Category.KERNEL, "ncclSum"), (Category.MEMCPY, "Memcpy (Pageable)"),
        (Category.MEMSET, "Memset"),
    ])  # fmt: skip
    step = st.builds(_step, st.integers(1, 4), start, duration, process, thread)
    cpu = st.builds(_cpu, called, start, duration, process, thread, correlation)
    gpu = st.builds(_gpu, ran, start, duration, correlation, st.integers(0, 1), st.sampled_from(["7", "8"]))
    lists = (st.lists(one, max_size=12) for one in (step, cpu, gpu))
    return st.tuples(*lists).map(lambda parts: [row for part in parts for row in part])


@given(rows())
@settings(max_examples=300, deadline=None)
def test_the_parts_of_any_rows_sum_to_their_wholes(chosen: list[Row]) -> None:
    check_sums(RunAnalyses(trace_of(chosen)))


def check_sums(run: RunAnalyses) -> None:
    for step in run.steps:
        check_step(step)
        for gpu in step.gpu:
            check_device(run, gpu)


def check_step(step: StepAnalyses) -> None:
    for split in (step.sync.explicit, step.sync.implicit):
        assert min(split.gpu_busy_ns, split.profiler_ns, split.gpu_idle_ns) >= 0
    offset = step.lane_offset
    assert sum(offset.sum_parts_ns) == offset.sum_ns
    assert min(offset.sum_parts_ns) >= 0
    if offset.first_parts_ns is not None:
        assert sum(offset.first_parts_ns) == offset.first_ns
        assert min(offset.first_parts_ns) >= 0
    if step.cpu is not None:
        assert sum(step.cpu.values()) == step.step.duration_ns
        assert min(step.cpu.values()) >= 0
    assert step.bubble_ns <= sum(g.idle.idle_ns for g in step.gpu)


def check_device(run: RunAnalyses, gpu: GpuStepAnalyses) -> None:
    idle, activity = gpu.idle, gpu.activity
    assert sum(idle.by_cause.values()) == idle.idle_ns
    assert sum(idle.host_by.values()) == idle.by_cause["host"]
    assert min(*idle.by_cause.values(), *idle.host_by.values(), gpu.other_work_ns) >= 0
    assert idle.idle_ns == idle_time_us(run, gpu) * 1000
    parts = (activity.kernel_ns, activity.copy_ns, activity.memset_ns)
    assert max(parts) <= activity.busy_ns <= sum(parts)
    assert activity.communication_exposed_ns <= activity.communication_ns <= activity.kernel_ns
    assert activity.copy_exposed_ns <= activity.copy_ns


def idle_time_us(run: RunAnalyses, gpu: GpuStepAnalyses) -> int:
    """The instants of the window at which no event of the device ran, one by one."""
    work = run.recording.gpu
    window = set(range(gpu.window.low_ns // 1000, gpu.window.high_ns // 1000))
    for start, end, device in zip(
        work.start_ns.tolist(), work.end_ns.tolist(), work.device.tolist(), strict=True
    ):
        if device == gpu.device:
            window -= set(range(start // 1000, end // 1000))
    return len(window)
