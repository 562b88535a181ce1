"""Steps: their windows, what began in them, and their GPU work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from . import names
from .load import Event
from .recording import Recording


class Step:
    def __init__(
        self,
        number: int | None,
        pid: str | None,
        thread: tuple[str, str] | None,
        start: int,
        end: int,
        index: int,
    ) -> None:
        self.number, self.pid, self.thread = number, pid, thread
        self.start, self.end, self.index = start, end, index
        self.earlier: list[Step] = []  # the steps of the same process that began before, in order
        self.next_start: int | None = None
        self.gpu_events: list[Event] = []
        self.launch_groups: list[LaunchGroup] = []

    @property
    def duration(self) -> int:
        return self.end - self.start

    def contains(self, instant: int) -> bool:
        if self.number is None:  # "end included"
            return self.start <= instant <= self.end
        return self.start <= instant < self.end

    def devices(self) -> list[int]:
        return sorted({e.device for e in self.gpu_events})

    def work(self, device: int) -> list[Event]:
        return [e for e in self.gpu_events if e.device == device]


class LaunchGroup:
    """A kernel launch: a call, and the launch calls nested in it.

    The driver call inside a runtime call has an id of its own and owns nothing: it is the same launch.
    """

    def __init__(self, call: Event) -> None:
        self.call = call
        self.owns = bool(call.owned)
        self.captured = False


class Steps:
    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.duplicates = 0
        self.steps = self._numbered() or self._unnumbered()
        self.by_pid: dict[str | None, list[Step]] = defaultdict(list)
        for step in self.steps:
            self.by_pid[step.pid].append(step)
        for of_one_process in self.by_pid.values():
            for position, step in enumerate(of_one_process):
                step.earlier = of_one_process[:position]
                if position + 1 < len(of_one_process):
                    step.next_start = of_one_process[position + 1].start
        self._give_gpu_work()
        self._give_launches()

    def _numbered(self) -> list[Step]:
        spans: dict[tuple[str, int], list[Step]] = defaultdict(list)
        for event in self.recording.events:
            match = names.STEP.fullmatch(event.name)
            if match and event.category in names.STEP_CATEGORIES:
                number = int(match.group(1))
                step = Step(number, event.pid, event.thread, event.start, event.end, event.index)
                spans[event.pid, number].append(step)
        steps = [step for same_number in spans.values() for step in self._without_duplicates(same_number)]
        return sorted(steps, key=lambda s: (s.start, s.number, s.index))

    def _without_duplicates(self, same_number: list[Step]) -> list[Step]:
        """ "The same N overlapping in time in one process: the longest span wins (tie: the earlier)"."""
        winners: list[Step] = []
        for step in sorted(same_number, key=lambda s: (-s.duration, s.start, s.index)):
            if any(overlap(step, winner) for winner in winners):
                self.duplicates += 1
            else:
                winners.append(step)
        return winners

    def _unnumbered(self) -> list[Step]:
        events = self.recording.events
        if not events:
            return []
        start, end = min(e.start for e in events), max(e.end for e in events)
        return [Step(None, None, None, start, end, -1)]

    def may_use(self, step: Step, call: Event) -> bool:
        """Whether a call belongs to the step's process.

        "(of the same process; of any, if the step's process has no runtime call in the file)". Said of launch
        calls; used here for every call of the step (waits, loading), so that one step has one set of calls.
        """
        if step.pid is None or step.pid not in self.recording.pids_with_calls:
            return True
        return call.pid == step.pid

    def begins_in(self, step: Step, instant: int) -> bool:
        """ "An instant in two windows of one process belongs to the step that began last." """
        if not step.contains(instant):
            return False
        holders = [s for s in self.by_pid[step.pid] if s.contains(instant)]
        return holders[-1] is step  # the list is ordered by start

    def calls_of(self, step: Step, calls: Iterable[Event]) -> list[Event]:
        return [c for c in calls if self.may_use(step, c) and self.begins_in(step, c.start)]

    def _give_gpu_work(self) -> None:
        for step in self.steps:
            if self.recording.any_linked:
                step.gpu_events = [
                    e for call in self.calls_of(step, self.recording.calls) for e in call.owned
                ]
            else:
                step.gpu_events = [e for e in self.recording.gpu if self.begins_in(step, e.start)]

    def _give_launches(self) -> None:
        groups = launch_groups(self.recording)
        for step in self.steps:
            step.launch_groups = [
                g for g in groups if self.may_use(step, g.call) and self.begins_in(step, g.call.start)
            ]


def overlap(one: Step, other: Step) -> bool:
    if one.duration == 0 or other.duration == 0:
        point, span = (one, other) if one.duration == 0 else (other, one)
        return point.start == span.start or span.start <= point.start < span.end
    return max(one.start, other.start) < min(one.end, other.end)


def launch_groups(recording: Recording) -> list[LaunchGroup]:
    groups: list[LaunchGroup] = []
    for events in recording.by_thread.values():
        calls = sorted(
            (e for e in events if e.kind in names.CALL_KINDS), key=lambda e: (e.start, -e.end, e.index)
        )
        capturing = False
        outermost: LaunchGroup | None = None
        for call in calls:
            if "StreamBeginCapture" in call.name:
                capturing = True
            elif "StreamEndCapture" in call.name:
                capturing = False
            if not names.is_kernel_launch_call(call.kind, call.name):
                continue
            if outermost is not None and call.end <= outermost.call.end and call.start < outermost.call.end:
                outermost.owns = outermost.owns or bool(call.owned)
                continue
            outermost = LaunchGroup(call)
            outermost.captured = capturing
            groups.append(outermost)
    return groups
