"""Waits: explicit and implicit ones, their split, the profiler's own one, and the refill bubbles."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from itertools import accumulate

from . import names
from .intervals import Cover, Intervals, length, subtract, take, union
from .load import Event
from .recording import Recording
from .steps import Step, Steps

CLOCK_TOLERANCE = 20_000  # "d ≤ r + 20 µs (clocks differ)"


def without_other_sides(waits: list[Event]) -> list[Event]:
    """ "The same waits seen from the other side: never added": here, what another process records of a wait
    under the same correlation and within its time (MTIA's driver)."""
    same: dict[int, list[Event]] = defaultdict(list)
    for wait in waits:
        if wait.correlation:
            same[wait.correlation].append(wait)
    return [wait for wait in waits if not any(holds(o, wait) for o in same.get(wait.correlation or 0, []))]


def holds(other: Event, wait: Event) -> bool:
    longer = (other.start, -other.end) < (wait.start, -wait.end) and wait.end <= other.end
    return other.pid != wait.pid and longer


class Waits:
    def __init__(self, recording: Recording, steps: Steps) -> None:
        self.recording, self.steps = recording, steps
        explicit = without_other_sides([c for c in recording.calls if names.is_explicit_wait(c.kind, c.name)])
        own = profilers_own_waits(recording, steps)
        self.closing = max(own, key=lambda w: (w.start, w.index)) if own else None
        own_indexes = {w.index for w in own}
        self.explicit = [w for w in explicit if w.index not in own_indexes]
        self.implicit = [c for c in recording.calls if c.index in recording.implicit_indexes]
        self._work: dict[tuple[str, int], WorkOnDevice] = {}

    def closing_wait(self) -> dict[str, object] | None:
        wait = self.closing
        if wait is None:
            return None
        parts = self.split(wait.pid, union([(wait.start, wait.end)]))
        return {
            "name": wait.name,
            "total_us": wait.end - wait.start,
            "gpu_busy_us": parts["gpu_busy"],
            "gpu_idle_us": parts["gpu_idle"],
            "profiler_us": parts["profiler"],
        }

    def split(self, pid: str, waiting: Intervals) -> dict[str, int]:
        """Instant by instant, first match: gpu_busy, profiler, gpu_idle."""
        busy, rest = take(waiting, self.recording.process_work_cover(pid))
        profiler, idle = take(rest, self.recording.profiler)
        return {"gpu_busy": length(busy), "profiler": length(profiler), "gpu_idle": length(idle)}

    def sync(self, step: Step) -> dict[str, int]:
        """`sync` but for `bubble_us`.

        "Whole duration, nested ones once (union per thread), summed over threads"; implicit ones "per thread,
        minus the explicit union": read as the union just named, of the explicit waits of this step.
        """
        explicit = self.steps.calls_of(step, self.explicit)
        implicit = self.steps.calls_of(step, self.implicit)
        explicit_by_thread, implicit_by_thread = per_thread(explicit), per_thread(implicit)
        sums: dict[str, int] = defaultdict(int)
        for thread in sorted(set(explicit_by_thread) | set(implicit_by_thread)):
            waiting = union(explicit_by_thread.get(thread, []))
            hidden = subtract(union(implicit_by_thread.get(thread, [])), waiting)
            for prefix, intervals in (("", waiting), ("implicit_", hidden)):
                sums[prefix + "total"] += length(intervals)
                for cause, time in self.split(thread[0], intervals).items():
                    sums[prefix + cause] += time
        return {
            "total_us": sums["total"],
            "calls": len(explicit),
            "gpu_busy_us": sums["gpu_busy"],
            "gpu_idle_us": sums["gpu_idle"],
            "profiler_us": sums["profiler"],
            "implicit_us": sums["implicit_total"],
            "implicit_gpu_busy_us": sums["implicit_gpu_busy"],
            "implicit_gpu_idle_us": sums["implicit_gpu_idle"],
            "implicit_profiler_us": sums["implicit_profiler"],
        }

    def bubbles(self, step: Step, device: int) -> Cover:
        """The refill bubbles on one device of the waits of the step's process.

        Each wait is taken whole, `[s, r)` of its call, whichever step it began in: "the step in which the
        device idled has it".
        """
        found = []
        for wait in self.explicit + self.implicit:
            if self.steps.may_use(step, wait):
                bubble = self._work_on(wait.pid, device).bubble(wait.start, wait.end)
                if bubble is not None:
                    found.append(bubble)
        return Cover(found)

    def _work_on(self, pid: str, device: int) -> WorkOnDevice:
        if (pid, device) not in self._work:
            work = [e for e in self.recording.process_work(pid) if e.device == device]
            self._work[pid, device] = WorkOnDevice(work)
        return self._work[pid, device]


class WorkOnDevice:
    """A process's work on one device, ordered by launch (linked) or by start (unlinked)."""

    def __init__(self, work: list[Event]) -> None:
        linked = sorted((e.launch.start, e.start, e.end) for e in work if e.launch is not None)
        unlinked = sorted((e.start, e.end) for e in work if e.launch is None)
        self.launched = [launched for launched, _, _ in linked]
        self.last_end = list(accumulate((end for _, _, end in linked), max))
        self.first_start = list(accumulate((start for _, start, _ in reversed(linked)), min))[::-1]
        self.unlinked_starts = [start for start, _ in unlinked]
        self.unlinked_last_end = list(accumulate((end for _, end in unlinked), max))

    def bubble(self, s: int, r: int) -> tuple[int, int] | None:
        """`[d, min(n, d + r − s))` if s < d ≤ r + 20 µs and n exists.

        "n = first start of what was launched from r on": linked work alone; unlinked work counts for d only.
        """
        launched_before = bisect_left(self.launched, r)
        started_before = bisect_left(self.unlinked_starts, r)
        ends = self.last_end[launched_before - 1 : launched_before] if launched_before else []
        ends += self.unlinked_last_end[started_before - 1 : started_before] if started_before else []
        if not ends or launched_before == len(self.launched):
            return None
        d, n = max(ends), self.first_start[launched_before]
        end = min(n, d + r - s)
        return (d, end) if s < d <= r + CLOCK_TOLERANCE and d < end else None


def per_thread(calls: list[Event]) -> dict[tuple[str, str], Intervals]:
    found: dict[tuple[str, str], Intervals] = defaultdict(list)
    for call in calls:
        found[call.thread].append((call.start, call.end))
    return found


def profilers_own_waits(recording: Recording, steps: Steps) -> list[Event]:
    """ "The last device-wide synchronise after the last step's end on the thread that stepped belongs to the
    profiler … Without steps: the last inside a Python frame `stop_trace` or profiler `__exit__`."

    With several processes: one for each process's last step.
    """
    waits = [c for c in recording.calls if names.is_device_wide_wait(c.kind, c.name)]
    own = []
    for of_one_process in steps.by_pid.values():
        last = of_one_process[-1]
        if last.number is None:
            mine = [w for w in waits if inside_exit_frame(recording, w)]
        else:
            mine = [w for w in waits if w.thread == last.thread and w.start >= last.end]
        own += [max(mine, key=lambda w: (w.start, w.index))] if mine else []
    return own


def inside_exit_frame(recording: Recording, wait: Event) -> bool:
    return any(
        e.kind == names.PYTHON
        and names.is_profiler_exit_frame(e.name)
        and e.start <= wait.start
        and wait.end <= e.end
        for e in recording.by_thread[wait.thread]
    )
