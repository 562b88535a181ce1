"""No finding promises more than a step lasts, whatever the trace."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tb_plugin_explain.report.rule_run import run_rules
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category
from tests.test_simulated import rows
from tests.trace_drawing import Row, trace_of

PAGEABLE, RESULTS = "Memcpy HtoD (Pageable -> Device)", "Memcpy DtoH (Device -> Pageable)"
LOADER = (Category.ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
KINDS = [
    ("cudaLaunchKernel", Category.KERNEL, "gemm"),
    ("cudaMemcpyAsync", Category.MEMCPY, PAGEABLE),
    ("cudaMemcpyAsync", Category.MEMCPY, RESULTS),
    ("cudaMemsetAsync", Category.MEMSET, "Memset (Device)"),
]
LENGTH = st.integers(1, 60)


class Ran(NamedTuple):
    """A call and the GPU event that it launches on a device and a stream."""

    kind: tuple[str, Category, str]
    call_us: int
    gpu_us: int
    lane: tuple[int, str]


class Only(NamedTuple):
    """What the CPU does without launching anything."""

    what: tuple[Category, str]
    us: int


RAN = st.builds(
    Ran, st.sampled_from(KINDS), LENGTH, LENGTH, st.sampled_from([(0, "7"), (0, "7"), (0, "8"), (1, "7")])
)
ONLY = st.builds(
    Only,
    st.sampled_from([
        (Category.RUNTIME, "cudaDeviceSynchronize"),
        (Category.RUNTIME, "cudaFree"),
        LOADER,
        (Category.CPU_OP, "aten::mm"),
    ]),
    LENGTH,
)  # fmt: skip
STEP = st.lists(st.one_of(RAN, RAN, ONLY), min_size=1, max_size=6)


def rows_of(steps: list[list[Ran | Only]], ahead: list[bool]) -> list[Row]:
    """Steps one after the other; a stream runs its work in order, and ``ahead`` steps do not wait for it."""
    made: list[Row] = []
    now, correlation = 100, 0
    free = {(0, "7"): 0, (0, "8"): 0, (1, "7"): 0}
    for number, step in enumerate(steps):
        begin = now
        for action in step:
            if isinstance(action, Only):
                made.append(Row(*action.what, now, action.us))
                now += action.us
                continue
            (call, kind, name), call_us, gpu_us, lane = action
            correlation += 1
            start = max(free[lane], now + call_us)
            free[lane] = start + gpu_us
            made.append(Row(Category.RUNTIME, call, now, call_us, correlation=correlation))
            made.append(
                Row(kind, name, start, gpu_us, correlation=correlation, device=lane[0], stream=lane[1])
            )
            now += call_us
        if not ahead[number % len(ahead)]:
            now = max(now, *free.values())
        made.append(Row(Category.ANNOTATION, f"ProfilerStep#{number}", begin, max(now - begin, 1)))
        now = max(now, begin + 1)
    return made


def check_promises(made: list[Row]) -> None:
    run = RunAnalyses(trace_of(made))
    findings, outcomes = run_rules(run)
    assert not [outcome.reason for outcome in outcomes if outcome.outcome == "failed"]
    for finding in findings:
        if finding.at_stake_us and run.speed_ns is not None:
            assert finding.at_stake_us <= run.speed_ns / 1000, finding.rule


@given(st.lists(STEP, min_size=1, max_size=5), st.lists(st.booleans(), min_size=1, max_size=5))
@example([[Only(LOADER, 41), Only(LOADER, 27)], [Only(LOADER, 16)]], [False])
@settings(max_examples=200, deadline=None)
def test_no_finding_about_steps_promises_more_than_the_pace(
    steps: list[list[Ran | Only]], ahead: list[bool]
) -> None:
    check_promises(rows_of(steps, ahead))


@given(rows())
@settings(max_examples=200, deadline=None)
def test_no_finding_about_any_rows_promises_more_than_the_pace(chosen: list[Row]) -> None:
    check_promises(chosen)
