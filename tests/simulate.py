"""A small machine with a known truth: one thread that feeds the streams of one device.

The thread runs a list of actions one after the other. A kernel starts ``LATENCY_US`` after its
launch call returned, or when its stream is free; a wait returns when all streams are done. Every
gap of the device is held against what the thread did meanwhile, so the truth follows from the
mechanism and not from the columns of a trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, trace_of

LATENCY_US = 4
RETURN_US = 2
_START_US = 50

Kind = Literal["step", "work", "load", "buffer", "launch", "wait"]
# What is to blame where the device idles while the thread does this.
_BLAMED: Mapping[Kind, str] = {
    "work": "host",
    "load": "input",
    "buffer": "profiler",
    "launch": "host",
    "wait": "host",
}
_ROWS: Mapping[Kind, tuple[Category, str]] = {
    "work": (Category.CPU_OP, "aten::mm"),
    "load": (Category.ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"),
    "buffer": (Category.OVERHEAD, "Activity Buffer Request"),
    "launch": (Category.RUNTIME, "cudaLaunchKernel"),
    "wait": (Category.RUNTIME, "cudaDeviceSynchronize"),
}


class Action(NamedTuple):
    """``us``: how long the thread is busy with it; of a wait, nothing. ``kernel_us``: of a launch."""

    kind: Kind
    us: int = 0
    kernel_us: int = 0
    stream: int = 7


class Done(NamedTuple):
    """An action, and from when to when the thread was busy with it."""

    action: Action
    start_us: int
    end_us: int


class Kernel(NamedTuple):
    launched_us: int
    start_us: int
    end_us: int
    stream: int


@dataclass(frozen=True)
class Simulation:
    """``done``: one element an action. ``kernels``: in the order of their launches."""

    done: Sequence[Done]
    kernels: Sequence[Kernel]

    def idle_us(self) -> dict[str, int]:
        """How long the device idled for each cause, from the first step with a kernel on.

        Only for one stream, and for actions without waits: there the cause is beyond doubt.
        """
        causes: Counter[str] = Counter()
        steps = [d.start_us for d in self.done if d.action.kind == "step"]
        begin = max(s for s in steps if s <= self.kernels[0].launched_us)
        for kernel in self.kernels:
            blamed: Counter[str] = Counter()
            for cause, start, end in self._blame():
                # The profiler is to blame wherever it worked, the thread while it held the kernel up.
                until = kernel.start_us if cause == "profiler" else kernel.start_us - LATENCY_US
                blamed[cause] += max(0, min(end, until) - max(start, begin))
            idle = max(0, kernel.start_us - begin)
            causes.update(blamed, launch=idle - blamed.total())
            begin = max(begin, kernel.end_us)
        return {cause: us for cause, us in causes.items() if us}

    def _blame(self) -> Iterator[tuple[str, int, int]]:
        for action, start, end in self.done:
            if action.kind != "step":
                yield _BLAMED[action.kind], start, end

    def trace(self) -> Trace:
        """The trace that a profiler would have written."""
        steps = [d.start_us for d in self.done if d.action.kind == "step"]
        steps.append(max(d.end_us for d in self.done))
        rows = [
            Row(Category.ANNOTATION, f"ProfilerStep#{i}", start, end - start)
            for i, (start, end) in enumerate(pairwise(steps))
        ]
        return trace_of([*rows, *self._call_rows(), *self._kernel_rows()])

    def _call_rows(self) -> Iterator[Row]:
        correlation = 0
        for action, start, end in self.done:
            if action.kind == "step":
                continue
            correlation += action.kind == "launch"
            own = correlation if action.kind == "launch" else 0
            process = "overhead" if action.kind == "buffer" else "main"
            yield Row(*_ROWS[action.kind], start, end - start, process, correlation=own)

    def _kernel_rows(self) -> Iterator[Row]:
        for i, kernel in enumerate(self.kernels):
            yield Row(
                Category.KERNEL,
                "kernel",
                kernel.start_us,
                kernel.end_us - kernel.start_us,
                correlation=i + 1,
                device=0,
                stream=str(kernel.stream),
            )


def simulate(actions: Iterable[Action]) -> Simulation:
    """Runs the actions; the first must begin a step."""
    now, free = _START_US, Counter[int]()
    done, kernels = [], []
    for action in actions:
        start = now
        now += action.us
        if action.kind == "launch":
            begins = max(now + LATENCY_US, free[action.stream])
            free[action.stream] = begins + action.kernel_us
            kernels.append(Kernel(start, begins, free[action.stream], action.stream))
        elif action.kind == "wait":
            now = max([now, *free.values()]) + RETURN_US
        done.append(Done(action, start, now))
    return Simulation(done, kernels)
