"""A DataLoader without workers, whose loading nothing hides."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.evidence import averaged, step_table, the_unit, typical
from tb_plugin_explain.findings import Finding, NotMeasured
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

# As for input-idle: a twentieth of each step is easily hidden by another worker.
MIN_SHARE = 0.05


def _loader_ns(step: StepAnalyses) -> int:
    return 0 if step.cpu is None else step.cpu["input"]


def _exposed_ns(run: RunAnalyses) -> tuple[float, float]:
    """What nothing hides of a typical step's loading, and the time that it is a share of."""
    if run.recording.gpu.devices or any(s.gpu_is_unknown for s in averaged(run)):
        bound = run.bound
        if bound is None:
            raise NotMeasured(
                "no GPU event of these steps was recorded, so nobody can say what hides the loading"
            )
        return bound.shares_ns["input"], bound.base_ns
    steps = averaged(run)
    return typical([_loader_ns(s) for s in steps]), typical([s.step.duration_ns for s in steps])


def _check(run: RunAnalyses) -> Iterator[Finding]:
    steps = averaged(run)
    if not steps or steps[0].step.number is None:
        raise NotMeasured("the recording has no steps")
    loading = typical([_loader_ns(s) for s in steps])
    if loading <= 0:
        return
    workers = run.input_pipeline.workers
    if workers is None:
        raise NotMeasured("no event names the data loader’s iterator, so its workers are not known")
    exposed, base = _exposed_ns(run)
    if workers != "in_process" or base <= 0 or exposed < MIN_SHARE * base:
        return
    on_gpu = bool(run.recording.gpu.devices)
    noticed = (
        f"The GPU waited {wording.time_ns(exposed)} for it; that time is counted under the data that the GPU "
        "waits for, not here."
        if on_gpu
        else "At most this much of a step can be won back, less what workers take from the same CPU."
    )
    yield Finding(
        verdict="fix",
        title=f"The thread that launches loads the data itself, {wording.time_ns(loading)} a step",
        text=(
            "The iterator is a _SingleProcessDataLoaderIter, so num_workers is 0: for "
            f"{wording.time_ns(loading)} of "
            f"{the_unit(run)} the thread that should launch work reads and collates samples. {noticed}"
        ),
        advice=(
            "Set num_workers=4 in the DataLoader. With persistent_workers=True its workers load the next "
            "batches while this one is computed."
        ),
        at_stake_us=None if on_gpu else to_us(exposed),
        evidence=[
            step_table(
                steps,
                ["in_loader_us", "cpu_span_us"],
                lambda s: [to_us(_loader_ns(s)), to_us(s.step.duration_ns)],
            )
        ],
    )


RULE = Rule(
    id="data-loader-single-process",
    title="A DataLoader without workers",
    why="With num_workers=0 loading and launching take turns in one thread; nothing can overlap.",
    link="https://docs.pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading",
    check=_check,
)
