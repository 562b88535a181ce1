"""The timeline's answers in JSON: docs/http_api.md. Times count from the first step's start, in µs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from tb_plugin_explain.report_schema import SCHEMA_VERSION

LaneKind = Literal["thread", "stream", "overhead", "other"]
LaneRole = Literal["stepping", "backward", "compute", "communication", "copy"]
ShadeCause = Literal[
    "wait_gpu_busy",
    "wait_gpu_idle",
    "wait_profiler",
    "closing_wait",
    "profiler_work",
    "profiler",
    "sync_bubble",
    "input",
    "host",
    "dependency",
    "launch",
    "unknown",
]
LinkKind = Literal["source", "module", "annotation", "operator", "launch", "kernel"]


class LaneInfo(Struct, frozen=True):
    """One lane, as it is to be shown: its place in the list is its number, from 0.

    process, thread, stream: as the file spells them; device: its number on streams. rows: how many
    rows its events need, one below the other. role: None where the lane has none of these.
    """

    id: int
    kind: LaneKind
    label: str
    process: str
    rows: int
    events: int
    start_us: float
    end_us: float
    role: LaneRole | None = None
    thread: str | None = None
    stream: str | None = None
    device: int | None = None


class StepSpan(Struct, frozen=True):
    """One step; ``number`` and ``process`` are None where the whole recording is one."""

    number: int | None
    process: str | None
    start_us: float
    duration_us: float
    settled: bool | None
    averaged: bool


class Shade(Struct, frozen=True):
    """Times of one cause on one lane (waits) or device (its idle time); neither: on everything."""

    cause: ShadeCause
    lane: int | None
    device: int | None
    total_us: float


class CallOutSpan(Struct, frozen=True):
    event: int
    lane: int
    start_us: float
    duration_us: float


class CallOut(Struct, frozen=True):
    """Where a finding shows; ``number``: its place in the report's list, from 1. Spans by start."""

    number: int
    rule: str
    start_us: float
    end_us: float
    spans: Sequence[CallOutSpan]


class NotShown(Struct, frozen=True):
    """Events without a place: instants, of the memory's allocator, and those without times."""

    instants: int
    lost: int


class Timeline(Struct, frozen=True):
    """What the page needs before the first window; ``latency_parts``: what latencies are split into.

    human_names: what GPU work is called for people, by name; see ``human_names``.
    """

    origin_ns: int
    start_us: float
    end_us: float
    events: int
    names: int
    lanes: Sequence[LaneInfo]
    steps: Sequence[StepSpan]
    shades: Sequence[Shade]
    call_outs: Sequence[CallOut]
    not_shown: NotShown
    latency_parts: Sequence[str]
    human_names: Mapping[str, str]
    schema: int = SCHEMA_VERSION


class EventRef(Struct, frozen=True):
    """One event: ``event`` is its index in the file's ``traceEvents``, ``name`` cut where it is very long."""

    event: int
    name: str
    category: str
    lane: int
    row: int
    start_us: float
    duration_us: float


class ChainLink(Struct, frozen=True):
    kind: LinkKind
    event: EventRef


class Launch(Struct, frozen=True):
    """The call that launched a GPU event; ``parts_us`` is None but for its first kernel on the device."""

    call: EventRef
    latency_us: float
    parts_us: Mapping[str, float] | None


class NameStats(Struct, frozen=True):
    """Events of the same name and category: in the file, and in the steps that averages use."""

    count: int
    total_us: float
    averaged_count: int
    averaged_total_us: float
    averaged_median_us: float | None


class EventDetails(Struct, frozen=True):
    """What one rectangle is; ``docs/http_api.md``, ``event``."""

    event: EventRef
    full_name: str
    step: int | None
    self_us: float
    module: str | None
    chain: Sequence[ChainLink]
    forward: EventRef | None
    launch: Launch | None
    launched: Sequence[EventRef]
    launched_count: int
    launched_us: float
    stats: NameStats


class SearchName(Struct, frozen=True):
    """One name in one category; ``first``: its first event."""

    name: str
    category: str
    count: int
    total_us: float
    first: EventRef


class SearchResult(Struct, frozen=True):
    """Names that contain a text, those with the most time first; ``events``: the next ones after a time."""

    names: Sequence[SearchName]
    names_found: int
    events_found: int
    events: Sequence[EventRef]
    schema: int = SCHEMA_VERSION


class DeviceInView(Struct, frozen=True):
    """One device in a window. idle_us: by cause, within the device windows of the steps."""

    device: int
    busy_us: float
    idle_us: Mapping[str, float]


class GapInView(Struct, frozen=True):
    """A time without work of a device; start and duration of the whole of it, causes too."""

    device: int
    start_us: float
    duration_us: float
    in_view_us: float
    causes: Mapping[str, float]


class WaitInView(Struct, frozen=True):
    """When a thread waited without a break; all of it cut to the window. gpu_busy_us: work ran meanwhile."""

    lane: int
    start_us: float
    in_view_us: float
    gpu_busy_us: float


class WorkInView(Struct, frozen=True):
    """GPU work of one name: events that overlap the window, and their time in it, overlaps counted twice.

    human: with the tile, where the name tells one; None where the glossary cannot tell.
    """

    name: str
    category: str
    human: str | None
    count: int
    time_us: float


class RestInView(Struct, frozen=True):
    """The names that are not listed."""

    names: int
    count: int
    time_us: float


class InView(Struct, frozen=True):
    """The figures of a window. launches: calls that begin in it; kernels: those that overlap it."""

    from_us: float
    to_us: float
    devices: Sequence[DeviceInView]
    launches: int
    kernels: int
    work: Sequence[WorkInView]
    rest: RestInView
    gaps_count: int
    gaps: Sequence[GapInView]
    waits: Sequence[WaitInView]
    schema: int = SCHEMA_VERSION
