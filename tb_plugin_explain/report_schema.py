"""The report as it leaves the program: one schema for command line, HTTP, cache and browser.

Frozen structs; their JSON is what msgspec makes of them; the TypeScript types in
``frontend/src/api/types.ts`` are generated from them. Times end in ``_us``; a figure that the
trace cannot give is None. Every figure is defined in ``docs/definitions.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct, field

from tb_plugin_explain.findings import Finding, RuleOutcome
from tb_plugin_explain.report_sections.annotations import Annotations
from tb_plugin_explain.report_sections.call_sites import CallSites
from tb_plugin_explain.report_sections.communication import Communication
from tb_plugin_explain.report_sections.copies import Copies
from tb_plugin_explain.report_sections.drift import StepDrift
from tb_plugin_explain.report_sections.gaps import Gaps
from tb_plugin_explain.report_sections.input import InputPipeline
from tb_plugin_explain.report_sections.kernels import Kernels
from tb_plugin_explain.report_sections.memory import Memory
from tb_plugin_explain.report_sections.modules import Modules
from tb_plugin_explain.report_sections.operators import Operators
from tb_plugin_explain.report_sections.profiler_cost import ProfilerCost
from tb_plugin_explain.report_sections.queue import Queue

SCHEMA_VERSION = 1

HeadlineVerdict = Literal[
    "host_bound",
    "sync_bound",
    "input_bound",
    "communication_bound",
    "copy_bound",
    "compute_bound",
    "undecided",
    "not_measured",
]
Confidence = Literal["clear", "likely", "undecided"]


class DeviceInfo(Struct, frozen=True):
    id: int
    name: str


class Recorded(Struct, frozen=True):
    """What the profiler was asked to record."""

    record_shapes: bool
    with_stack: bool
    profile_memory: bool
    cuda_sync: bool


class TraceInfo(Struct, frozen=True):
    """The file and what it says of itself. ``start_us`` of steps counts from ``origin_ns``."""

    file: str
    run: str | None
    worker: str | None
    span: str | None
    rank: int | None
    world_size: int | None
    events: int
    bytes: int
    repaired: bool
    devices: Sequence[DeviceInfo]
    recorded: Recorded
    versions: Mapping[str, str]
    origin_ns: int


class Warning(Struct, frozen=True):
    """A limit of trust; ``count`` is the number of events, names or steps meant."""

    kind: str
    count: int
    message: str
    advice: str
    data: Mapping[str, int | float | str] = field(default_factory=dict)


class First(Struct, frozen=True):
    """The one thing to do first, and the rule that says so."""

    text: str
    rule: str | None


class FalseAlarm(Struct, frozen=True):
    """Something that looks bad and is not: a few words, and the rule that explains it."""

    text: str
    rule: str


class Headline(Struct, frozen=True):
    """What bounds the run. ``text`` is the sentence, ``detail`` the decisive figures.

    ``settled``: of the averaged steps; None where too few steps were recorded to know.
    """

    verdict: HeadlineVerdict
    text: str
    detail: str
    confidence: Confidence
    why: str
    steps: Sequence[int | None]
    settled: bool | None
    first: First | None
    false_alarms: Sequence[FalseAlarm]


class ClosingWait(Struct, frozen=True):
    """The profiler's own wait at the end of the recording: in no step and no average."""

    name: str
    total_us: float
    gpu_busy_us: float
    gpu_idle_us: float
    profiler_us: float


class Sync(Struct, frozen=True):
    """Waits that begin in the step. The three parts sum to ``total_us`` (``implicit_us``)."""

    total_us: float
    calls: int
    gpu_busy_us: float
    gpu_idle_us: float
    profiler_us: float
    implicit_us: float
    implicit_gpu_busy_us: float
    implicit_gpu_idle_us: float
    implicit_profiler_us: float
    bubble_us: float | None


class LatencyParts(Struct, frozen=True):
    """The split of launch latencies; the parts sum to ``sum_us``."""

    sum_us: float
    call_us: float
    queue_us: float
    profiler_us: float
    loading_us: float
    dependency_us: float
    other_us: float


class LaneOffset(Struct, frozen=True):
    """How far the GPU lane trails the CPU lane. The parts beside ``first_us`` sum to it."""

    first_us: float | None
    end_us: float | None
    median_us: float | None
    p95_us: float | None
    max_us: float | None
    call_us: float | None
    queue_us: float | None
    profiler_us: float | None
    loading_us: float | None
    dependency_us: float | None
    other_us: float | None
    all: LatencyParts


class IdleByCause(Struct, frozen=True):
    """The parts sum to ``idle_us`` of the device."""

    profiler: float
    sync_bubble: float
    input: float
    host: float
    dependency: float
    launch: float
    unknown: float


class HostBy(Struct, frozen=True):
    """What the host did in ``idle_by_cause.host``; the parts sum to it."""

    loading: float
    allocator: float
    wait: float
    launch_call: float
    compile_lookup: float
    optimizer: float
    op_dispatch: float
    python: float


class GpuStep(Struct, frozen=True):
    """One device's part in one step.

    window_us: length of the device window, also of the first step, whose ``period_us`` is None
        because its window opens with the recording.
    """

    device: int
    busy_us: float
    kernel_us: float
    copy_us: float
    memset_us: float
    communication_us: float
    communication_exposed_us: float
    copy_exposed_us: float
    period_us: float | None
    window_us: float
    idle_us: float
    other_work_us: float
    idle_by_cause: IdleByCause
    host_by: HostBy


class CpuBy(Struct, frozen=True):
    """What the stepping thread did in the step; the parts sum to ``duration_us``."""

    wait_gpu_busy: float
    wait_gpu_idle: float
    loading: float
    allocator: float
    launch_call: float
    input: float
    compile_lookup: float
    optimizer: float
    op_dispatch: float
    python: float


class Step(Struct, frozen=True):
    """One ProfilerStep (``number`` None: the whole recording of a trace without steps)."""

    number: int | None
    pid: int | str | None
    start_us: float
    duration_us: float
    period_us: float | None
    settled: bool | None
    unsettled_because: Sequence[str]
    sync: Sync
    lane_offset: LaneOffset
    gpu: Sequence[GpuStep] | None
    cpu_by: CpuBy | None
    launches: int
    kernels: int
    copies: int
    memsets: int
    not_measured: Mapping[str, str]


class Summary(Struct, frozen=True):
    """Medians over the averaged steps, which ``headline.steps`` names.

    gpu_busy_share: 1 - sum of idle / sum of device period, on ``device``.
    gpu_*_us: of that device, the one with the longest busy time. lost_us: the part of a step in which
        it ran nothing, as the headline counts it.
    """

    device: int | None
    duration_us: float | None
    period_us: float | None
    gpu_window_us: float | None
    gpu_busy_us: float | None
    gpu_idle_us: float | None
    gpu_busy_share: float | None
    lost_us: float | None
    sync_us: float | None
    bubble_us: float | None
    first_us: float | None


class Can(Struct, frozen=True):
    """Something that this trace can tell."""

    title: str
    text: str


class Cannot(Struct, frozen=True):
    """Something that it cannot tell, and what to record so that the next one can."""

    title: str
    text: str
    record: str | None


class Trust(Struct, frozen=True):
    can: Sequence[Can]
    cannot: Sequence[Cannot]
    record_better: str | None


class Report(Struct, frozen=True):
    """One trace explained. Sections are None where the trace has nothing of their kind."""

    schema: int
    trace: TraceInfo
    warnings: Sequence[Warning]
    headline: Headline
    pace_us: float | None
    closing_wait: ClosingWait | None
    summary: Summary
    steps: Sequence[Step]
    findings: Sequence[Finding]
    rules: Sequence[RuleOutcome]
    trust: Trust
    kernels: Kernels | None
    copies: Copies | None
    communication: Communication | None
    call_sites: CallSites | None
    operators: Operators | None
    modules: Modules | None
    annotations: Annotations | None
    queue: Queue | None
    gaps: Gaps | None
    drift: StepDrift | None
    memory: Memory | None
    input: InputPipeline | None
    profiler_cost: ProfilerCost | None
