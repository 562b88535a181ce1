"""A DataLoader without workers in a run without a GPU; where a GPU waits for it, input-idle says so."""

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


def _check(run: RunAnalyses) -> Iterator[Finding]:
    steps = averaged(run)
    if not steps or steps[0].step.number is None:
        raise NotMeasured("the recording has no steps")
    loading = typical([_loader_ns(s) for s in steps])
    if loading <= 0 or run.recording.gpu.devices:
        return
    workers = run.input_pipeline.workers
    if workers is None:
        raise NotMeasured("no event names the data loader’s iterator, so its workers are not known")
    if any(s.gpu_is_unknown for s in steps):
        raise NotMeasured("no GPU event was recorded, so nobody can say what hides the loading")
    speed = run.speed_ns or 0.0
    if workers != "in_process" or speed <= 0 or loading < MIN_SHARE * speed:
        return
    yield Finding(
        verdict="fix",
        title=f"The thread that computes loads the data itself, {wording.time_ns(loading)} a step",
        text=(
            "The iterator is a _SingleProcessDataLoaderIter, so num_workers is 0: for "
            f"{wording.time_ns(loading)} of {the_unit(run)} the thread that should compute reads and "
            "collates samples. At most this much of a step can be won back, less what workers take "
            "from the same CPU."
        ),
        advice=(
            "Set num_workers=4 in the DataLoader. With persistent_workers=True its workers load the next "
            "batches while this one is computed."
        ),
        # Of unlike steps the pace may be of shorter ones than the median of all.
        at_stake_us=to_us(min(loading, speed)),
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
    why="With num_workers=0 loading and computing take turns in one thread; nothing can overlap.",
    link="https://docs.pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading",
    check=_check,
)
