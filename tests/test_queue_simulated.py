"""Queue and gaps against a machine whose truth is known."""

from __future__ import annotations

from hypothesis import given, settings

from tb_plugin_explain.step_analyses import RunAnalyses
from tests.simulate import Action, Simulation, simulate
from tests.test_simulated import actions

ANY = actions("step", "work", "load", "buffer", "launch", "launch", "wait")


def late(simulation: Simulation) -> list[bool]:
    """Whether the machine was done with all earlier kernels when each launch began."""
    kernels = simulation.kernels
    return [
        all(earlier.end_us <= kernel.launched_us for earlier in kernels[:i])
        for i, kernel in enumerate(kernels)
    ]


@given(ANY)
@settings(deadline=None)
def test_launches_wait_as_long_as_in_the_machine_and_are_late_when_it_was_idle(chosen: list[Action]) -> None:
    simulation = simulate([*chosen, Action("work", 1)])
    queue = RunAnalyses(simulation.trace()).queues[0]
    end = max(k.end_us for k in simulation.kernels) * 1000
    waited = sum(k.start_us - k.launched_us for k in simulation.kernels)
    assert round((queue.depth.mean(0, end) or 0) * end) == waited * 1000
    assert queue.launches.late.tolist() == late(simulation)


@given(actions("step", "work", "load", "buffer", "launch", "launch", "wait", streams=(7, 8, 9)))
@settings(deadline=None)
def test_gaps_and_queue_split_the_idle_time_of_simulated_runs(chosen: list[Action]) -> None:
    run = RunAnalyses(simulate([*chosen, Action("work", 1)]).trace())
    for step in run.steps:
        for gpu in step.gpu:
            queue, idle = gpu.queue, gpu.idle
            assert queue.idle_empty_ns + queue.idle_launching_ns + queue.idle_queued_ns == idle.idle_ns
            assert gpu.causes_of_gaps(gpu.gaps.length_ns > 0).sums == (idle.by_cause, idle.host_by)
