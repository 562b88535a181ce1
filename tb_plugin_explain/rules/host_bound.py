"""A GPU that waits for the CPU to hand out work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from tb_plugin_explain import launch_advice, wording
from tb_plugin_explain.analyses.bound import Bound
from tb_plugin_explain.analyses.gpu_idle import HOST_CLASSES
from tb_plugin_explain.evidence import averaged, need_fit, need_gpu, step_lane, the_unit, typical, unit
from tb_plugin_explain.findings import Cell, Finding, Quantity, Table
from tb_plugin_explain.rules import Rule
from tb_plugin_explain.rules.first_launch import first_of_their_kernel
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.wording import to_us

# A tenth of each step is worth an afternoon; less is the normal cost of feeding a GPU.
MIN_SHARE = 0.1
# A launch that brings work for less than half the time until the next one leaves the GPU mostly idle.
STARVED_SHARE = 0.5
# What the CPU did is named as the cause where it covers at least this share of the lost time.
MIN_NAMED_SHARE = 0.5
# A launch call takes 5 to 10 µs; where far more idle time passes in calls for each launch, a few took it.
LONG_CALLS_NS = 50_000
# An operator takes some 10 to 100 µs to prepare a launch; a millisecond and more is a first use.
LONG_OPERATORS_NS = 1_000_000

_USUAL_NS: Mapping[str, int] = {
    "launch_call": LONG_CALLS_NS,
    "op_dispatch": LONG_OPERATORS_NS,
    "allocator": 0,
    "loading": 0,
}
# What is advised against these is to launch less often.
_LAUNCH_LESS = ("launch_call", "op_dispatch", "compile_lookup", "python")
_OF_LAUNCHING = ("launch_call", "op_dispatch", "optimizer", "compile_lookup")
_WARM_UP = (
    "Record steps after a warm-up first. Streams, first launches and first blocks of memory take long once; "
    "only steps that have settled tell what stays."
)
_UNKNOWN = "Find out what the CPU does meanwhile. "
_NAME_PYTHON = "Find out what runs between launches. with_stack=True names the Python functions. "
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


class _Work(Struct, frozen=True):
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
        if not self.kernels:
            return ""
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
        of_it = f"of {the_unit(run)}{share}" if share else "a step"
        return (
            f"The CPU needs {wording.time_ns(bound.base_ns)} to hand out "
            f"{wording.time_ns(bound.figures.busy_ns)} "
            f"of GPU work. At this pace the GPU is without work for {wording.time_ns(lost)} {of_it}."
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


def _starts_up(run: RunAnalyses, host_by: Mapping[str, float], doing: str, launches: int) -> bool:
    """Whether a recording without steps shows what happens once, and no loop."""
    if unit(run) != "recording" or doing not in _USUAL_NS:
        return False
    return host_by[doing] > _USUAL_NS[doing] * max(launches, 1)


def _mostly_launches(run: RunAnalyses) -> bool:
    """Whether the CPU spent most of its steps on handing out work, in gaps of the GPU or not."""
    steps = [(s.cpu, s.step.duration_ns) for s in averaged(run) if s.cpu is not None]
    launching = sum(cpu[name] for cpu, _ in steps for name in _OF_LAUNCHING)
    return launching > 0 and launching >= MIN_NAMED_SHARE * sum(length for _, length in steps)


def _advice(run: RunAnalyses, host_by: Mapping[str, float], named: str | None, lost_ns: float) -> str:
    """The remedy for what the CPU did; where that is not known, how to find out."""
    stacks = run.trace.meta.with_stack
    if named == "python" and not stacks:
        return _NAME_PYTHON + (
            launch_advice.what_is_left(run.compiled_work)
            or 'Then shorten them, or let torch.compile or CUDA graphs (mode="reduce-overhead") take them '
            "out of the step."
        )
    if named in _LAUNCH_LESS:
        return launch_advice.next_step(run, _ADVICE[named])
    if named is not None:
        return _ADVICE[named]
    known, launching = sum(host_by.values()), sum(host_by[name] for name in _OF_LAUNCHING)
    in_gaps = known >= MIN_NAMED_SHARE * lost_ns and launching >= MIN_NAMED_SHARE * known
    if in_gaps or _mostly_launches(run):
        return launch_advice.next_step(run, _ADVICE["launch_call"])
    return _UNKNOWN + (
        "The list of gaps says what ran in each."
        if stacks
        else 'Record with stacks (with_stack=True), or put record_function("…") around suspects.'
    )


def _first_launches_ns(run: RunAnalyses, host_by: Mapping[str, float]) -> float:
    """Idle time in first launches: a run pays it once, so no step can win it back."""
    calls = first_of_their_kernel(run)
    each = [sum(c.duration_ns for c in calls if c.step == s.index) for s in averaged(run)]
    return min(typical(each), host_by["launch_call"] + host_by["loading"])


def _single_launch(run: RunAnalyses, text: str, advice: str, lost_ns: float) -> Finding:
    """One kernel makes no loop that could be held up by launching."""
    return Finding(
        verdict="undecided",
        title=f"The GPU has one kernel to run, and none for {wording.time_ns(lost_ns)}",
        text=f"{text} What the rest of the time was for, one kernel does not tell.",
        advice=advice,
        at_stake_us=None,
        looks_like_us=to_us(lost_ns),
        evidence=[step_lane(run, averaged(run))],
    )


def _work(run: RunAnalyses, bound: Bound, device: int) -> _Work:
    gpus = [g for s in averaged(run) for g in s.gpu if g.device == device]
    sizes = [g.kernel_sizes for g in gpus if g.kernel_sizes is not None]
    return _Work(
        kernels=round(typical([k.kernels for k in sizes])),
        median_ns=typical([k.median_ns for k in sizes]),
        launches=round(typical([k.launch_calls for k in sizes])),
        busy_ns=bound.figures.busy_ns,
        base_ns=bound.base_ns,
    )


def _check(run: RunAnalyses) -> Iterator[Finding]:
    device = need_gpu(run)
    need_fit(run)
    bound = run.bound
    if bound is None or bound.shares_ns["host"] < MIN_SHARE * bound.base_ns:
        return
    lost = bound.shares_ns["host"]
    work, host_by = _work(run, bound, device), _host_by_ns(run, device)
    doing = max(host_by, key=lambda name: host_by[name])
    named = doing if host_by[doing] >= MIN_NAMED_SHARE * lost else None
    text = f"{_what(run, bound)} {work.text}"
    if work.launches == 1 and work.kernels <= 1:
        yield _single_launch(run, text, _advice(run, {**host_by, "launch_call": 0.0}, named, lost), lost)
        return
    mostly = f" When the GPU ran dry, the CPU was mostly {_DOING[named]}." if named else ""
    once = _first_launches_ns(run, host_by)
    first = (
        f" {wording.time_ns(once)} of this idle time passed in first launches, which a run pays "
        "once; that is not counted as time to win."
        if once > 0
        else ""
    )
    starts_up = _starts_up(run, host_by, doing, work.launches)
    yield Finding(
        verdict="fix",
        title=(
            "The GPU waits for launches"
            if work.starves and not starts_up
            else "The GPU waits for the CPU between launches"
        ),
        text=f"{text}{mostly}{first}{_profiled(run)}",
        advice=_WARM_UP if starts_up else _advice(run, host_by, named, lost),
        at_stake_us=to_us(lost - once),
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
