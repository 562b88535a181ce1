"""What findings and headline say alike: events as spans, steps as rows, typical figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median

import numpy as np
from msgspec import Struct

from tb_plugin_explain import wording
from tb_plugin_explain.analyses.bound import MAX_LOST, Bound
from tb_plugin_explain.analyses.call_sites import CallSite
from tb_plugin_explain.analyses.memory_events import CPU, OperatorMemory
from tb_plugin_explain.analyses.memory_use import MemoryUse
from tb_plugin_explain.analyses.wait_causes import WaitCause
from tb_plugin_explain.findings import Cell, NotMeasured, Quantity, Span, Spans, Table
from tb_plugin_explain.step_analyses import RunAnalyses, StepAnalyses
from tb_plugin_explain.wording import to_us

# More rectangles than this cannot be told apart in a small timeline.
MAX_SPANS = 60
# More call sites than this no reader follows up; all of them are in the JSON.
MAX_SITES = 20
# From half on, what the GPU ran is no measure of what the launches ask for.
MAX_CAPTURED = 0.5
# Where a GPU waits less than this share of a step for launches, fewer of them win nothing to speak of;
# the rule about it speaks from there on.
MIN_HOST_SHARE = 0.1


def span_of(run: RunAnalyses, row: int) -> Span:
    """One event, its time counted from the first step's start."""
    events = run.trace.events
    return Span(
        run.trace.name_of(row),
        to_us(int(events.start_ns[row]) - run.recording.origin_ns),
        to_us(max(int(events.duration_ns[row]), 0)),
        int(events.ordinal[row]),
    )


def calls_lane(run: RunAnalyses, rows: Iterable[int], lane: str = "CPU calls") -> Spans:
    """Some events of the CPU as one lane, the longest where there are too many."""
    duration_ns = run.trace.events.duration_ns
    longest = sorted(rows, key=lambda row: -max(int(duration_ns[row]), 0))[:MAX_SPANS]
    return Spans(lane, sorted((span_of(run, row) for row in longest), key=lambda s: s.start_us))


def step_lane(run: RunAnalyses, steps: Sequence[StepAnalyses]) -> Spans:
    """The steps themselves as one lane."""
    return Spans("Steps", [span_of(run, s.step.row) for s in steps[:MAX_SPANS] if s.step.row is not None])


def gpu_lane(run: RunAnalyses, start_ns: int, end_ns: int) -> Spans:
    """The GPU events that overlap a time, the longest where there are too many."""
    gpu = run.recording.gpu
    inside = np.flatnonzero((gpu.end_ns > start_ns) & (gpu.start_ns < end_ns))
    longest = inside[np.argsort(-(gpu.end_ns - gpu.start_ns)[inside], kind="stable")][:MAX_SPANS]
    return Spans("GPU", [span_of(run, int(gpu.row[i])) for i in np.sort(longest)])


def averaged(run: RunAnalyses) -> Sequence[StepAnalyses]:
    """The steps that averages use."""
    return [run.steps[i] for i in run.averaged]


def steps_with_known_gpu(run: RunAnalyses) -> Sequence[StepAnalyses]:
    """The averaged steps whose GPU events were recorded; all of them where that is true of none.

    Raises:
        NotMeasured: the trace has no step.
    """
    steps = averaged(run)
    if not steps:
        raise NotMeasured("the file holds no events")
    return [s for s in steps if not s.gpu_is_unknown] or steps


def nearest(
    steps: Sequence[StepAnalyses], value: float, figure: Callable[[StepAnalyses], float]
) -> StepAnalyses:
    """The step that shows a typical value best; of two, the one with more of it."""
    return min(steps, key=lambda s: (abs(figure(s) - value), -figure(s)))


def numbers(steps: Sequence[StepAnalyses]) -> Sequence[int | None]:
    """The numbers of some steps."""
    return [s.step.number for s in steps]


def step_table(
    steps: Sequence[StepAnalyses], columns: Sequence[str], row: Callable[[StepAnalyses], Sequence[Cell]]
) -> Table:
    """One row a step, its number first."""
    return Table(["step", *columns], [[s.step.number, *row(s)] for s in steps])


def typical(values: Sequence[float]) -> float:
    """The median of a figure over steps, 0 over none."""
    return float(median(values)) if values else 0.0


def unit(run: RunAnalyses) -> str:
    """What the run is counted in: ``step``, or ``recording`` where it has no steps."""
    return "recording" if run.steps and run.steps[0].step.number is None else "step"


def the_unit(run: RunAnalyses) -> str:
    """How a sentence calls it: ``a typical step``, ``this step``, ``the recording``."""
    if unit(run) == "recording":
        return "the recording"
    return "this step" if len(run.averaged) == 1 else "a typical step"


def the_time(run: RunAnalyses) -> str:
    """What shares are of: a step; of a recording without steps only what lies around its GPU work."""
    if unit(run) == "recording":
        return "the time between its first and last event"
    return the_unit(run)


def gpu_sets_pace(run: RunAnalyses) -> bool:
    """Whether shorter work on the GPU makes the run faster, as it hardly ever runs dry."""
    bound = run.bound
    return (
        bound is not None
        and bound.verdict in ("compute_bound", "copy_bound", "communication_bound")
        and bound.lost_ns <= MAX_LOST * bound.base_ns
    )


def worked_ns(bound: Bound) -> float:
    """How long the device runs anything in a step: work that ends gives back this much at most."""
    return max(bound.base_ns - bound.lost_ns, 0.0)


def captured_launches(run: RunAnalyses) -> tuple[int, int]:
    """Of the kernel launches in the averaged steps: how many a graph captured, and how many there are."""
    averaged = run.launched_in_averaged
    return int((averaged & run.launches.captured).sum()), int(averaged.sum())


def captures_graphs(run: RunAnalyses) -> bool:
    """Whether most launches only go into a graph, so that the GPU has nothing to run."""
    captured, made = captured_launches(run)
    return made > 0 and captured >= MAX_CAPTURED * made


def need_fit(run: RunAnalyses) -> None:
    """What a step lost must be of the work that it launched.

    Where it lost more than it took, pace and windows are of different kinds of steps; where it captured a
    graph, its launches were written down and not run; where most events were taken out of the file, so was
    what stood in its gaps.

    Raises:
        NotMeasured: so little fits together that no share of a step means anything.
    """
    if captures_graphs(run):
        raise NotMeasured(
            "most launches only go into a graph that is being captured; the GPU runs none of them"
        )
    if run.problem("thinned") is not None:
        raise NotMeasured("most events were taken out of this file, so its gaps are not those of the run")
    if run.bound is not None and run.bound.lost_ns > run.bound.base_ns:
        raise NotMeasured("the recorded steps are too few, and differ too much, to say what one costs")


def need_gpu(run: RunAnalyses) -> int:
    """The device that the headline judges.

    Raises:
        NotMeasured: no averaged step has a GPU event.
    """
    if run.busiest_device is None:
        raise NotMeasured("no GPU event of an averaged step was recorded")
    return run.busiest_device


def asked_by(site: CallSite) -> str:
    """What asked for the waits of a site: the operator that the user called, else the call itself."""
    top = site.top_operator
    if top is None:
        return site.calls[0]
    is_node = top.startswith("autograd::") or not top.startswith("aten::")
    return site.operator or top if is_node else top


def where(site: CallSite) -> str | None:
    """Where the site is, as exactly as the trace tells."""
    if site.source is not None:
        return site.source
    around = site.module or site.annotation
    if site.phase in ("backward", "optimizer", "input") and around is None:
        return {"backward": "backward pass", "optimizer": "optimizer", "input": "data loader"}[site.phase]
    return around


def _times(count: float) -> int | float:
    """How often, with a digit after the point only where it says something."""
    rounded = round(count, 1)
    return int(rounded) if rounded.is_integer() else rounded


def site_table(run: RunAnalyses, sites: Sequence[CallSite]) -> Table:
    """Who asked, the most expensive first; figures are averages over the averaged steps."""
    steps = max(len(run.averaged), 1)
    return Table(
        ["asked by", "where", "times", "waiting_us", "gpu_busy_us", "refill_bubble_us"],
        [
            [
                asked_by(site),
                where(site),
                _times(site.averaged.count / steps),
                to_us(site.averaged.waiting_ns / steps),
                to_us(site.gpu_busy_ns / steps),
                to_us(site.averaged.bubble_ns / steps),
            ]
            for site in sites[:MAX_SITES]
        ],
    )


def named_site(run: RunAnalyses, site: CallSite) -> str:
    """A site in a sentence: ``aten::item in train.py(12): step (4 times a step)``."""
    place = where(site)
    times = site.averaged.count / max(len(run.averaged), 1)
    often = "" if times < 2 else f" ({wording.count(round(times), 'time')} in {the_unit(run)})"
    return f"{asked_by(site)}{f' in {place}' if place else ''}{often}"


def read_back_evidence(
    run: RunAnalyses, sites: Sequence[CallSite], what: str, times: int, bubble_ns: float
) -> Sequence[Spans | Table | Quantity]:
    """Where values are read back: the calls, who asked, how often, and how long the GPU ran dry (ns)."""
    return [
        calls_lane(run, [int(row) for site in sites for row in site.rows[:MAX_SITES]]),
        site_table(run, sites),
        Quantity(f"{what} read back in {the_unit(run)}", times, "count"),
        Quantity(f"refill bubble in {the_unit(run)}", to_us(bubble_ns), "us"),
    ]


def times_a_step(run: RunAnalyses, sites: Sequence[CallSite]) -> int:
    """How often a typical step waits at these sites, at least once."""
    return max(round(sum(site.averaged.count for site in sites) / max(len(run.averaged), 1)), 1)


def largest_part(run: RunAnalyses, sites: Sequence[CallSite]) -> str:
    """The sentence that names the site of most of it; none where the waits began outside the steps."""
    return f" The largest part is asked for by {named_site(run, sites[0])}." if sites else ""


def sites_of_cause(run: RunAnalyses, cause: WaitCause) -> Sequence[CallSite]:
    """The sites of the averaged steps whose waits are of one cause, the most expensive first."""
    rows = set(run.waits.row[run.wait_causes[cause]].tolist())
    return [site for site in run.call_sites if not rows.isdisjoint(site.rows.tolist())]


def claimed_bubble_ns(run: RunAnalyses, cause: WaitCause) -> float:
    """What the waits of a cause cost in a typical step, 0 where that is not worth a finding of its own.

    Raises:
        NotMeasured: the trace has no operators, or waits of the cause and no GPU event beside them.
    """
    need_fit(run)
    if not run.origins.operators.any():
        raise NotMeasured("the recording has no operators, so nobody can say what a wait was for")
    if run.wait_causes[cause].any() and steps_with_known_gpu(run)[0].gpu_is_unknown:
        raise NotMeasured("no GPU event of these steps was recorded, so nobody can say what the waits cost")
    return run.claimed_causes.get(cause, 0.0)


class WorkInside(Struct, frozen=True):
    """What a typical step launched inside some annotations; sums over the averaged steps by their number.

    rows: of these annotations. name: of the first of them.
    """

    name: str
    rows: Sequence[int]
    cpu_ns: float
    device_ns: float
    launches: float
    kernels: float


def launches_inside(run: RunAnalyses, named: Callable[[str], bool]) -> WorkInside:
    """The work launched inside the annotations (or operators) with such a name."""
    nesting, steps = run.origins.nesting, max(len(run.averaged), 1)
    marked = (run.origins.annotations | run.origins.operators) & run.trace.names_where(named)
    outer = np.flatnonzero(marked & run.in_averaged & ~nesting.inside(marked))
    work = run.launched_work
    inside = nesting.inside(marked)[work.launch]
    return WorkInside(
        name=run.trace.name_of(int(outer[0])) if len(outer) else "",
        rows=outer.tolist(),
        cpu_ns=int(nesting.length_ns[outer].sum()) / steps,
        device_ns=int(work.time_ns[inside].sum()) / steps,
        launches=int(inside.sum()) / steps,
        kernels=int(work.kernels[inside].sum()) / steps,
    )


def waits_for_launches(bound: Bound) -> bool:
    """Whether the GPU waits for the CPU long enough that launching less would be worth it."""
    return bound.shares_ns["host"] >= MIN_HOST_SHARE * bound.base_ns


def need_memory(run: RunAnalyses) -> Sequence[MemoryUse]:
    """The allocators over the steps.

    Raises:
        NotMeasured: no memory event was recorded.
    """
    if not run.memory:
        raise NotMeasured("no memory event was recorded (profile_memory=True records them)")
    return run.memory


def on_device(use: MemoryUse) -> str:
    """Where an allocator's memory is, for a sentence: `` on GPU 0``, `` of the CPU``."""
    allocator = use.allocator
    return " of the CPU" if allocator.device_type == CPU else f" on GPU {max(allocator.device, 0)}"


def operator_table(run: RunAnalyses, rows: Sequence[OperatorMemory]) -> Table:
    """Blocks of memory by the operator that allocated them."""
    return Table(
        ["allocated by", "blocks", "kept_bytes"],
        [[run.operator_name(r.operator), r.blocks, r.size_bytes] for r in rows],
    )
