"""A GPU that waits for the data loader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.input_pipeline import Workers
from tb_plugin_explain.evidence import averaged, need_fit, need_gpu, step_table, the_time
from tb_plugin_explain.findings import Finding
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

# Loading of a twentieth of each step is easily hidden by another worker.
MIN_SHARE = 0.05

# Who loads, and what helps then.
_LOADING: Mapping[Workers | None, tuple[str, str]] = {
    "in_process": (
        " The DataLoader has no workers (its iterator is a _SingleProcessDataLoaderIter, so num_workers is "
        "0): the thread that should launch work reads and collates samples itself.",
        "Set num_workers=4 in the DataLoader. With pin_memory=True and persistent_workers=True its workers "
        "prepare batches while the GPU computes; raise num_workers until this goes away.",
    ),
    "worker_processes": (
        " The DataLoader has workers, and they do not keep up.",
        "Give the DataLoader more workers. Raise num_workers and prefetch_factor until this goes away, or "
        "make a sample cheaper to read and transform.",
    ),
    "both": (
        " One DataLoader has workers, another has none (num_workers=0).",
        "Set num_workers=4 in every DataLoader. Raise it until this goes away, or make a sample cheaper to "
        "read and transform.",
    ),
    None: (
        "",
        "Load in the background. DataLoader(num_workers=4, pin_memory=True, persistent_workers=True) "
        "prepares batches while the GPU computes; raise num_workers until this goes away.",
    ),
}


def _input_ns(step: StepAnalyses, device: int) -> int:
    return sum(g.idle.by_cause["input"] for g in step.gpu if g.device == device)


def _check(run: RunAnalyses) -> Iterator[Finding]:
    device = need_gpu(run)
    need_fit(run)
    bound = run.bound
    if bound is None or bound.shares_ns["input"] < MIN_SHARE * bound.base_ns:
        return
    lost = bound.shares_ns["input"]
    who, advice = _LOADING[run.input_pipeline.workers]
    yield Finding(
        verdict="fix",
        title=f"The GPU waits {wording.time_ns(lost)} for the data loader",
        text=(
            f"For {wording.percent(lost / bound.base_ns)} of {the_time(run)} the GPU had nothing to do "
            f"while the CPU was fetching the next batch. The batch was not ready when it was needed.{who}"
        ),
        advice=advice,
        at_stake_us=to_us(lost),
        evidence=[
            step_table(
                averaged(run),
                ["idle_in_loader_us", "cpu_span_us"],
                lambda s: [to_us(_input_ns(s, device)), to_us(s.step.duration_ns)],
            )
        ],
    )


RULE = Rule(
    id="input-idle",
    title="A GPU that waits for data",
    why="Time in the data loader is lost only where nothing hides it; this is the part that the GPU noticed.",
    link="https://docs.pytorch.org/docs/stable/data.html",
    check=_check,
)
