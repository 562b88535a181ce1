"""`gpu[]`: busy time, device window, gaps and their causes, per device of a step."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from itertools import pairwise

from . import names
from .intervals import Cover, Intervals, after, before, length, subtract, take, union
from .load import Event
from .recording import Recording, Thread
from .steps import Step
from .waits import Waits

CAUSES = ("profiler", "sync_bubble", "input", "host", "dependency", "launch", "unknown")
HOST_CAUSES = (
    "loading",
    "allocator",
    "wait",
    "launch_call",
    "compile_lookup",
    "optimizer",
    "op_dispatch",
    "python",
)
UNKNOWN_OVER = 100_000  # "`unknown` if itself over 100 µs"


class Gap:
    def __init__(self, start: int, end: int, next_event: Event) -> None:
        self.start, self.end, self.next_event = start, end, next_event


class Devices:
    def __init__(self, recording: Recording, waits: Waits) -> None:
        self.recording, self.waits = recording, waits
        self.idle_thread = Thread([], set())
        self.starting: dict[int, dict[int, list[Event]]] = {}
        self.ending: dict[int, dict[int, list[Event]]] = {}
        self.zero_length: dict[int, list[int]] = {}
        for device, events in recording.by_device.items():
            starting, ending = defaultdict(list), defaultdict(list)
            for event in events:
                starting[event.start].append(event)
                ending[event.end].append(event)
            self.starting[device], self.ending[device] = starting, ending
            self.zero_length[device] = [e.start for e in events if e.start == e.end]

    def of_step(self, step: Step) -> list[dict[str, object]] | None:
        """None: the step launched kernels, and no GPU event of it was recorded. []: it launched nothing."""
        if not step.gpu_events:
            return None if step.launch_groups else []
        return [self.figures(step, device) for device in step.devices()]

    def figures(self, step: Step, device: int) -> dict[str, object]:
        window = device_window(step, device)
        any_work = self.recording.device_cover(device)
        own = Cover((e.start, e.end) for e in step.work(device))
        running = any_work.within(window)
        idle_by_cause, host_by = self.idle_causes(step, device, window)
        first = not earlier_with_work(step, device)
        return {
            "device": device,
            **busy(step.work(device)),
            "period_us": None if first else length(window),
            "window_us": length(window),  # |W|, which the headline needs of a first step too
            "idle_us": length(window) - length(running),
            "other_work_us": length(subtract(running, own.within(window))),
            "idle_by_cause": idle_by_cause,
            "host_by": host_by,
        }

    def idle_causes(
        self, step: Step, device: int, window: Intervals
    ) -> tuple[dict[str, int], dict[str, int]]:
        causes, host_by = dict.fromkeys(CAUSES, 0), dict.fromkeys(HOST_CAUSES, 0)
        bubbles = self.waits.bubbles(step, device)
        for gap in self.gaps(device, window):
            self.explain(step, device, gap, bubbles, causes, host_by)
        return causes, host_by

    def gaps(self, device: int, window: Intervals) -> list[Gap]:
        """A gap "reaches from an event's end (or lo) to the next start (zero-length events end gaps)"."""
        found = []
        idle = subtract(window, self.recording.device_cover(device).within(window))
        points = self.zero_length[device]
        for start, end in idle:
            inside = points[bisect_right(points, start) : bisect_left(points, end)]
            edges = [start, *sorted(set(inside)), end]
            for a, b in pairwise(edges):
                found.append(Gap(a, b, self.next_event(device, b)))
        return found

    def next_event(self, device: int, instant: int) -> Event:
        """ "N starts at b (several: launched first; an unlinked one only if no other starts there)"."""
        events = self.starting[device][instant]
        linked = [e for e in events if e.launch is not None]
        return min(linked, key=lambda e: (e.launch_start, e.index)) if linked else events[0]

    def explain(
        self,
        step: Step,
        device: int,
        gap: Gap,
        bubbles: Cover,
        causes: dict[str, int],
        host_by: dict[str, int],
    ) -> None:
        """Instant by instant, first match; then the rest of the gap, whole."""
        profiler, rest = take([(gap.start, gap.end)], self.recording.profiler)
        bubble, rest = take(rest, bubbles)
        causes["profiler"] += length(profiler)
        causes["sync_bubble"] += length(bubble)
        launch = gap.next_event.launch
        if launch is None:
            causes["unknown"] += length(rest)
            return
        launched = launch.start  # L
        host_until = launch.end if is_earliest(gap.next_event) else launched  # C
        threads = self.threads(step, launch)
        waiting_for_data, rest = self.in_data_loader(rest, launched, threads)
        causes["input"] += length(waiting_for_data)
        host, rest = before(rest, host_until), after(rest, host_until)
        causes["host"] += length(host)
        self.split_host(host, launched, threads, host_by)
        causes[self.cause_of_remainder(device, gap, host_until, length(rest))] += length(rest)

    def cause_of_remainder(self, device: int, gap: Gap, host_until: int, remainder: int) -> str:
        if remainder > UNKNOWN_OVER:
            return "unknown"
        ended = self.ending[device].get(gap.start, [])
        on_same_stream = any(e.stream == gap.next_event.stream for e in ended)
        return "dependency" if host_until <= gap.start and ended and not on_same_stream else "launch"

    def threads(self, step: Step, launch: Event) -> tuple[Thread, Thread]:
        """The launching thread and, for instants that none of its events covers, the stepping thread."""
        stepping = self.idle_thread if step.thread is None else self.recording.thread(step.thread)
        return self.recording.thread(launch.thread), stepping

    def in_data_loader(
        self, rest: Intervals, launched: int, threads: tuple[Thread, Thread]
    ) -> tuple[Intervals, Intervals]:
        launching, stepping = threads
        by_launching, by_stepping = take(before(rest, launched), launching.any)
        loader = union(launching.data_loader.within(by_launching) + stepping.data_loader.within(by_stepping))
        return loader, subtract(rest, loader)

    def split_host(
        self, host: Intervals, launched: int, threads: tuple[Thread, Thread], host_by: dict[str, int]
    ) -> None:
        launching, stepping = threads
        by_launching, by_stepping = take(before(host, launched), launching.any)
        for thread, intervals in ((launching, by_launching), (stepping, by_stepping)):
            rest = intervals
            for cause, cover in (
                ("loading", thread.loading),
                ("allocator", thread.allocator),
                ("wait", thread.wait),
                ("launch_call", thread.call),
                ("compile_lookup", thread.compile_lookup),
                ("optimizer", thread.optimizer),
                ("op_dispatch", thread.op),
            ):
                matched, rest = take(rest, cover)
                host_by[cause] += length(matched)
            host_by["python"] += length(rest)
        loading, calling = take(after(host, launched), launching.loading)
        host_by["loading"] += length(loading)
        host_by["launch_call"] += length(calling)


def is_earliest(event: Event) -> bool:
    """Whether it is its launch's earliest event on the device."""
    assert event.launch is not None
    return event.start == min(e.start for e in event.launch.owned if e.device == event.device)


def earlier_with_work(step: Step, device: int) -> list[Step]:
    return [s for s in step.earlier if s.work(device)]


def device_window(step: Step, device: int) -> Intervals:
    """W = [lo, hi), as a list of one interval or none."""
    work = step.work(device)
    hi = max(e.end for e in work)
    earlier = earlier_with_work(step, device)
    if earlier:
        lo = max(e.end for s in earlier for e in s.work(device))
    else:
        lo = min(e.start for e in work)
        if step.number is not None:
            lo = min(lo, step.start)  # "its start or first event, the earlier"
    return [(lo, hi)] if lo < hi else []


def busy(work: list[Event]) -> dict[str, int]:
    def spans(belongs: object) -> Intervals:
        return union((e.start, e.end) for e in work if belongs(e))  # type: ignore[operator]

    communication = spans(lambda e: e.communication)
    copies = spans(lambda e: e.kind == names.COPY)
    return {
        "busy_us": length(spans(lambda e: True)),
        "kernel_us": length(spans(lambda e: e.kind == names.KERNEL)),
        "copy_us": length(copies),
        "memset_us": length(spans(lambda e: e.kind == names.MEMSET)),
        "communication_us": length(communication),
        "communication_exposed_us": length(subtract(communication, spans(lambda e: not e.communication))),
        "copy_exposed_us": length(subtract(copies, spans(lambda e: e.kind != names.COPY))),
    }
