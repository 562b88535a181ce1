"""The comparison of two traces as it leaves the program, defined in docs/definitions/comparison.md.

Frozen structs like those of ``report_schema``. Differences are candidate minus baseline; a
figure that a trace cannot give is None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from tb_plugin_explain.findings import Finding, RuleOutcome
from tb_plugin_explain.report_schema import SCHEMA_VERSION, Confidence, TraceInfo, Warning

ComparisonVerdict = Literal["faster", "slower", "within_noise", "undecided", "not_comparable"]
GroupKind = Literal["unchanged", "replaced", "fused", "dispatch_fused", "removed", "added", "unattributed"]
SideName = Literal["baseline", "candidate"]
MetricUnit = Literal["us", "bytes", "count"]
GateOutcome = Literal["passed", "failed", "not_measured"]


class ComparedTrace(Struct, frozen=True):
    """One side. ``pace_us`` and ``verdict`` are those of its own report.

    compiled: whether its steps run code of torch.compile; eager runs and runs of which the trace
        does not tell it are False.
    """

    trace: TraceInfo
    verdict: str
    pace_us: float | None
    compiled: bool


class Change(Struct, frozen=True):
    """Something that differs between the two runs and moves figures: ``compile``, ``precision``, …"""

    what: str
    baseline: str
    candidate: str


class ComparisonHeadline(Struct, frozen=True):
    """``text`` is the sentence, ``detail`` the decisive figures, ``why`` what the verdict rests on.

    changes: what differs besides the figures. confounded: whether several of them move the figures, so
        that the difference cannot be laid to one; profiler modes, graph launches and versions never do.
    """

    verdict: ComparisonVerdict
    text: str
    detail: str
    why: str
    confounded: bool
    changes: Sequence[Change]


class LeftOutStep(Struct, frozen=True):
    """A step that no statement rests on, with the reasons (``unsettled_because`` of its report)."""

    side: SideName
    step: int | None
    because: Sequence[str]


class TypicalSteps(Struct, frozen=True):
    baseline: int | None
    candidate: int | None


class ComparedSteps(Struct, frozen=True):
    """Numbers of the steps that are compared; ``typical``: on which the groups are formed.

    settled: whether both sides’ steps are known to be settled.
    """

    baseline: Sequence[int | None]
    candidate: Sequence[int | None]
    typical: TypicalSteps
    left_out: Sequence[LeftOutStep]
    settled: bool


class Delta(Struct, frozen=True):
    """One figure of both sides, medians over the compared steps, and what lies between.

    unit: ``us``, ``bytes`` or ``count``. interval: lowest and highest; None with fewer than two steps
        on a side.
    within_noise: whether the interval contains zero; None where there is no interval.
    not_measured: why a value is None.
    """

    metric: str
    unit: MetricUnit
    baseline: float | None
    candidate: float | None
    difference: float | None
    interval: Sequence[float] | None
    within_noise: bool | None
    not_measured: str | None


class StepPair(Struct, frozen=True):
    """Two steps, in order of recording; None on a side that has no more. ``deltas`` without intervals."""

    baseline: int | None
    candidate: int | None
    deltas: Sequence[Delta]


class GroupKernel(Struct, frozen=True):
    """Events of one name; ``ops``: the operators that launched them, or that a generated name holds
    (there without namespace)."""

    name: str
    count: int
    time_us: float
    ops: Sequence[str]


class GroupSide(Struct, frozen=True):
    """``bytes``: of its copies and memsets where recorded, else None."""

    events: int
    time_us: float
    bytes: int | None
    kernels: Sequence[GroupKernel]


class FusionGroup(Struct, frozen=True):
    """What one piece of work is on both sides. ``confidence``, ``why``: how the match was found."""

    kind: GroupKind
    title: str
    baseline: GroupSide
    candidate: GroupSide
    confidence: Confidence
    why: str


class GroupTotals(Struct, frozen=True):
    """Sums over the groups of one kind."""

    kind: GroupKind
    baseline_events: int
    candidate_events: int
    baseline_us: float
    candidate_us: float


class GroupSummary(Struct, frozen=True):
    """The typical steps taken apart: the groups’ times sum to ``baseline_us`` and ``candidate_us``.

    of: ``gpu`` events, or ``cpu`` operators (own time) where neither side has GPU work.
    unattributed_share: of the time of both sides.
    note: what the reader must know of these groups, None if nothing.
    baseline_machinery_us, candidate_machinery_us: of the time without counterpart, that of torch.compile’s
        own machinery.
    """

    of: Literal["gpu", "cpu"]
    baseline_us: float
    candidate_us: float
    totals: Sequence[GroupTotals]
    unattributed_share: float | None
    note: str | None
    baseline_machinery_us: float
    candidate_machinery_us: float


class CompilePhase(Struct, frozen=True):
    """Time of one phase of compiling, with what its phases inside took already taken out."""

    name: str
    time_us: float


class GraphBreak(Struct, frozen=True):
    """Two regions of one function, cut apart, in the typical step, and the operators between them.

    before, after: ids of the regions, ``?`` where the trace has none. between_us: without the lookup.
    where: ``file.py(12): function``, where the graph broke; None without stacks.
    """

    before: str
    after: str
    between_us: float
    operators: Sequence[str]
    where: str | None = None


class CompileTax(Struct, frozen=True):
    """CPU time of the typical step in the compiled path’s own machinery; the parts sum to ``tax_us``.

    wrapper_us: where prologues are not marked, they are in it.
    """

    lookup_us: float
    prologue_us: float
    wrapper_us: float


class CompileFacts(Struct, frozen=True):
    """What torch.compile did in one run; figures of the typical step unless said otherwise.

    regions: ids of the compiled regions, ``frame/variant``, in the order in which they first ran.
    breaks: see ``GraphBreak``.
    recompiles: in the whole recording. recompiled_steps: numbers of the steps that compiled again.
    graph_launches: calls that launch a CUDA or HIP graph. kernel_launches: the other kernel launches. Both
        None where the recording shows no GPU event and no launch.
    captures: graph captures in the whole recording.
    tax_us: None where the trace does not tell the compiled path from what it runs. compile_us: time spent
        compiling in the whole recording, None where it shows none. phases: of this time; they sum to it.
    break_even_steps: None where it cannot be told. not_measured: why a figure is missing, by its name.
    """

    regions: Sequence[str]
    region_calls: int
    graph_breaks: int
    breaks: Sequence[GraphBreak]
    recompiles: int
    recompiled_steps: Sequence[int | None]
    lookups: int
    graph_launches: int | None
    kernel_launches: int | None
    captures: int
    tax_us: float | None
    tax: CompileTax | None
    compile_us: float | None
    phases: Sequence[CompilePhase]
    break_even_steps: int | None
    not_measured: Mapping[str, str]


class GateResult(Struct, frozen=True):
    """What became of one limit that was asked for: ``gate`` as it was given, ``text`` why."""

    gate: str
    outcome: GateOutcome
    text: str


class Comparison(Struct, frozen=True):
    """Two traces compared. ``compile``: of the candidate, None where it is not compiled.

    gates: the limits of ``compare --fail-on``; empty where none was asked for.
    """

    baseline: ComparedTrace
    candidate: ComparedTrace
    headline: ComparisonHeadline
    steps: ComparedSteps
    deltas: Sequence[Delta]
    by_step: Sequence[StepPair]
    groups: Sequence[FusionGroup]
    group_summary: GroupSummary
    compile: CompileFacts | None
    baseline_compile: CompileFacts | None
    warnings: Sequence[Warning]
    findings: Sequence[Finding]
    rules: Sequence[RuleOutcome]
    gates: Sequence[GateResult] = ()
    schema: int = SCHEMA_VERSION


class UnpairedFile(Struct, frozen=True):
    """A file of one run whose worker the other run does not have."""

    side: SideName
    file: str
    worker: str | None


class RunComparison(Struct, frozen=True):
    """Two run directories: one comparison a pair of workers, the newest file of each."""

    comparisons: Sequence[Comparison]
    unpaired: Sequence[UnpairedFile]
    schema: int = SCHEMA_VERSION
