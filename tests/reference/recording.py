"""The events of one file, linked, and the unions that every figure asks for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from . import names
from .intervals import Cover
from .load import Event, Loaded


class Thread:
    """What one CPU thread was doing, one union per class of event."""

    def __init__(self, events: list[Event], implicit_waits: set[int]) -> None:
        def cover(belongs: object) -> Cover:
            return Cover((e.start, e.end) for e in events if belongs(e))  # type: ignore[operator]

        self.any = cover(lambda e: True)
        self.data_loader = cover(lambda e: names.is_data_loader(e.name))
        self.loading = cover(lambda e: names.is_loading_call(e.kind, e.name))
        self.allocator = cover(lambda e: names.is_allocator_call(e.kind, e.name))
        self.wait = cover(lambda e: names.is_explicit_wait(e.kind, e.name) or e.index in implicit_waits)
        self.call = cover(lambda e: e.kind in names.CALL_KINDS)
        self.compile_lookup = cover(lambda e: e.name in names.COMPILE_LOOKUP)
        self.optimizer = cover(lambda e: names.is_optimizer(e.name))
        self.op = cover(lambda e: e.kind == names.OP and not names.STEP.fullmatch(e.name))


Key = TypeVar("Key")
Value = TypeVar("Value")


def remembered(method: Callable[[Recording, Key], Value]) -> Callable[[Recording, Key], Value]:
    """Asked once for each key; kept with the recording, so that it goes when the recording goes."""

    @wraps(method)
    def ask(recording: Recording, key: Key) -> Value:
        place = (method.__name__, key)
        if place not in recording.memory:
            recording.memory[place] = method(recording, key)
        value: Value = recording.memory[place]
        return value

    return ask


class Recording:
    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self.memory: dict[tuple[str, Any], Any] = {}
        self.events = loaded.events
        self.gpu = [e for e in self.events if e.kind in names.GPU_KINDS]
        self.calls = [e for e in self.events if e.kind in names.CALL_KINDS]
        self.overhead = [e for e in self.events if e.kind == names.OVERHEAD]
        self.ambiguous = self._link()
        self.any_linked = any(e.launch is not None for e in self.gpu)
        self.by_device: dict[int, list[Event]] = defaultdict(list)
        for event in sorted(self.gpu, key=lambda e: (e.start, e.index)):
            self.by_device[event.device].append(event)
        self.by_thread: dict[tuple[str, str], list[Event]] = defaultdict(list)
        for event in self.events:
            if event.kind in names.THREAD_KINDS:
                self.by_thread[event.thread].append(event)
        self.pids_with_calls = {e.pid for e in self.calls}
        self.implicit_indexes = {e.index for e in self.calls if is_implicit_wait(e)}
        self.profiler = self.overhead_cover(names.PROFILER_OVERHEAD)
        self.loading_overhead = self.overhead_cover(names.LOADING_OVERHEAD)
        self.queue_full = self.overhead_cover((names.QUEUE_FULL_OVERHEAD,))

    def _link(self) -> list[Event]:
        """Link every GPU event to its launch call; returns those whose launch stays ambiguous.

        "Only where one file holds the same correlation twice … is the `External id` used to tell them apart;
        what stays ambiguous is left unlinked, with a warning, never guessed."
        """
        by_correlation: dict[int, list[Event]] = defaultdict(list)
        for call in self.calls:
            if call.correlation is not None:
                by_correlation[call.correlation].append(call)
        ambiguous = []
        for event in self.gpu:
            candidates = [] if event.correlation is None else by_correlation.get(event.correlation, [])
            if len(candidates) > 1:
                candidates = [
                    c
                    for c in candidates
                    if event.external_id is not None and c.external_id == event.external_id
                ]
                if len(candidates) != 1:
                    ambiguous.append(event)
            if len(candidates) == 1:
                event.launch = candidates[0]
                event.launch.owned.append(event)
        return ambiguous

    def overhead_cover(self, wanted: tuple[str, ...]) -> Cover:
        return Cover((e.start, e.end) for e in self.overhead if e.name in wanted)

    def process_work(self, pid: str) -> list[Event]:
        """ "A process's device work. The GPU events that it launched, and all without a launch." """
        return [e for e in self.gpu if e.launch is None or e.launch.pid == pid]

    @remembered
    def process_work_cover(self, pid: str) -> Cover:
        return Cover((e.start, e.end) for e in self.process_work(pid))

    @remembered
    def device_cover(self, device: int) -> Cover:
        return Cover((e.start, e.end) for e in self.by_device[device])

    @remembered
    def other_streams_cover(self, stream: tuple[int, str]) -> Cover:
        return Cover((e.start, e.end) for e in self.by_device[stream[0]] if e.stream != stream)

    @remembered
    def loading_cover(self, pid: str) -> Cover:
        """Loading calls of one process, any thread, and loading overhead."""
        calls = [
            (e.start, e.end) for e in self.calls if e.pid == pid and names.is_loading_call(e.kind, e.name)
        ]
        return Cover(calls + self.loading_overhead.parts)

    @remembered
    def thread(self, key: tuple[str, str]) -> Thread:
        return Thread(self.by_thread.get(key, []), self.implicit_indexes)


def is_implicit_wait(call: Event) -> bool:
    """`…Memcpy…Async…` whose own GPU copy is pageable, `hipMemcpyWithStream`, allocator and loading calls."""
    if names.is_explicit_wait(call.kind, call.name):
        return False
    if names.is_async_copy_call(call.kind, call.name):
        return any(e.kind == names.COPY and "Pageable" in e.name for e in call.owned)
    return (
        call.name == "hipMemcpyWithStream"
        or names.is_allocator_call(call.kind, call.name)
        or names.is_loading_call(call.kind, call.name)
    )
