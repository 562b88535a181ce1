"""A GPU that waits for the CPU to hand out work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.bound import Bound
from tb_plugin_explain.analyses.gpu_idle import HOST_CLASSES
from tb_plugin_explain.evidence import averaged, need_fit, need_gpu, step_lane, the_unit, typical, unit
from tb_plugin_explain.findings import Cell, Finding, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# A tenth of each step is worth an afternoon; less is the normal cost of feeding a GPU.
MIN_SHARE = 0.1
# A launch that brings work for less than half the time until the next one leaves the GPU mostly idle.
STARVED_SHARE = 0.5
# What the CPU did is named as the cause where it covers at least this share of the lost time.
MIN_NAMED_SHARE = 0.5

_DOING: Mapping[str, str] = {
    "loading": "loading GPU code",
    "allocator": "allocating or freeing GPU memory",
    "wait": "waiting for the GPU",
    "launch_call": "inside launch calls",
    "compile_lookup": "in torch.compile’s checks before each call",
    "optimizer": "in the optimizer’s own Python code",
    "op_dispatch": "inside PyTorch operators, preparing launches",
    "python": "in Python or other code outside PyTorch’s operators",
}
_ADVICE: Mapping[str, str] = {
    "loading": "Let warm-up steps load all GPU code. Code is loaded when a kernel is first used.",
    "allocator": (
        "Stop allocating in the loop. Reuse tensors, and keep shapes constant so that PyTorch’s "
        "caching allocator can reuse its blocks."
    ),
    "wait": "Let the CPU wait less often. While it waits, it cannot launch.",
    "launch_call": (
        "Launch less often. Larger batches, fused operators (torch.compile) or CUDA graphs "
        '(mode="reduce-overhead") make the same work with fewer launches.'
    ),
    "compile_lookup": (
        "Compile larger regions. Each compiled call pays for its checks; CUDA graphs "
        '(mode="reduce-overhead") pay less.'
    ),
    "optimizer": (
        "Use the fused form of the optimizer (fused=True). It updates many parameters with one launch."
    ),
    "op_dispatch": (
        "Give the GPU more work a launch. Larger batches, torch.compile, or CUDA graphs "
        '(mode="reduce-overhead") do that.'
    ),
    "python": (
        "Shorten the Python code between launches. torch.compile or CUDA graphs "
        '(mode="reduce-overhead") take it out of the step.'
    ),
}


def _each(run: RunAnalyses, length_ns: float) -> str:
    length = wording.time_ns(length_ns)
    if unit(run) == "recording":
        return f"the {length} between its first and last event"
    return f"the step of {length}" if len(run.averaged) == 1 else f"a typical step of {length}"


def _profiled(run: RunAnalyses) -> str:
    """A caution where recording itself slows the CPU."""
    meta = run.trace.meta
    modes = [name for name, on in (("stacks", meta.with_stack), ("memory", meta.profile_memory)) if on]
    if not modes:
        return ""
    return (
        f" Recording {wording.listing(modes)} slows the CPU, so part of this is the profiler’s own; "
        "record once without."
    )


def _host_by_ns(run: RunAnalyses, device: int) -> dict[str, float]:
    idle = [g.idle for s in averaged(run) for g in s.gpu if g.device == device]
    return {name: typical([i.host_by[name] for i in idle]) for name in HOST_CLASSES}


def _doing_table(host_by_ns: Mapping[str, float]) -> list[Table]:
    """What the CPU did while the GPU was idle, the longest first; no table where it is nothing."""
    doing = sorted((name for name in host_by_ns if host_by_ns[name] > 0), key=lambda name: -host_by_ns[name])
    rows: list[list[Cell]] = [[_DOING[name], to_us(host_by_ns[name])] for name in doing]
    return [Table(["the CPU was", "gpu_idle_us"], rows)] if rows else []


@dataclass(frozen=True)
class _Work:
    """What a typical step launches, and how much of the step that keeps the GPU busy."""

    kernels: int
    median_ns: float
    launches: int
    busy_ns: float
    base_ns: float

    @property
    def per_launch_ns(self) -> float:
        return self.busy_ns / max(self.launches, 1)

    @property
    def between_ns(self) -> float:
        return self.base_ns / max(self.launches, 1)

    @property
    def starves(self) -> bool:
        return self.launches > 0 and self.busy_ns < STARVED_SHARE * self.base_ns

    @property
    def text(self) -> str:
        if self.launches < 2:
            return f"The CPU launches {wording.count(self.kernels, 'kernel')} in all."
        return (
            f"A launch brings {wording.time_ns(self.per_launch_ns)} of work on average, and the next one "
            f"follows {wording.time_ns(self.between_ns)} after it."
        )


def _what(run: RunAnalyses, bound: Bound) -> str:
    """What the trace shows: gaps before and after launches, or windows shorter than the pace."""
    lost, cause = bound.shares_ns["host"], bound.figures.by_cause
    in_gaps = cause["host"] + cause["launch"]
    share = f" ({wording.percent(lost / bound.base_ns)})" if lost <= bound.base_ns else ""
    if in_gaps < lost / 2:
        return (
            f"The CPU needs {wording.time_ns(bound.base_ns)} to hand out "
            f"{wording.time_ns(bound.figures.busy_ns)} "
            f"of GPU work. At this pace the GPU is without work for {wording.time_ns(lost)} a step{share}."
        )
    started = (
        f", of which {wording.time_ns(cause['launch'])} passed between launch and start"
        if cause["launch"] > 0
        else ""
    )
    return (
        f"For {wording.time_ns(lost)} of {_each(run, bound.base_ns)}{share} the GPU had nothing to "
        "do because "
        f"its next kernel had not been launched, or not yet started{started}."
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    device = need_gpu(run)
    need_fit(run)
    bound = run.bound
    if bound is None or bound.shares_ns["host"] < MIN_SHARE * bound.base_ns:
        return
    lost = bound.shares_ns["host"]
    gpus = [g for s in averaged(run) for g in s.gpu if g.device == device]
    sizes = [g.kernel_sizes for g in gpus if g.kernel_sizes is not None]
    work = _Work(
        kernels=round(typical([k.kernels for k in sizes])),
        median_ns=typical([k.median_ns for k in sizes]),
        launches=round(typical([k.launch_calls for k in sizes])),
        busy_ns=bound.figures.busy_ns,
        base_ns=bound.base_ns,
    )
    host_by = _host_by_ns(run, device)
    doing = max(host_by, key=lambda name: host_by[name])
    named = host_by[doing] >= MIN_NAMED_SHARE * lost
    mostly = f" When the GPU ran dry, the CPU was mostly {_DOING[doing]}." if named else ""
    yield Finding(
        verdict="fix",
        title=(
            "The GPU waits for launches" if work.starves else "The GPU waits for the CPU between launches"
        ),
        text=f"{_what(run, bound)} {work.text}{mostly}{_profiled(run)}",
        advice=_ADVICE[doing if named else "launch_call"],
        at_stake_us=to_us(lost),
        evidence=[
            step_lane(run, averaged(run)),
            *_doing_table(host_by),
            Quantity(f"kernels in {the_unit(run)}", work.kernels, "count"),
            Quantity("median kernel", to_us(work.median_ns), "us"),
            Quantity("GPU work per launch", to_us(work.per_launch_ns), "us"),
            Quantity("time from launch to launch", to_us(work.between_ns), "us"),
        ],
    )


RULE = Rule(
    id="host-bound",
    title="A GPU that waits for the CPU",
    why="A GPU that is starved gains nothing from faster kernels; it gains from fewer and larger launches.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
    check=_check,
)
