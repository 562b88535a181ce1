"""Which call recorded an event of a graph: where the capture is in the same recording, it tells more.

A graph’s events have one launch, ``…GraphLaunch``, and no operators. The calls between
``…StreamBeginCapture`` and ``…StreamEndCapture`` are those events to be, in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from tb_plugin_explain.analyses.nesting import begun_in
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.model import Bools, Category, Int64s


def recorded_calls(run: RunAnalyses, events: Int64s) -> Int64s:
    """For each GPU event (position in ``gpu``) the row of the call that tells where it comes from.

    Its launch; of events of a graph the call that was captured for it, where exactly one capture of the
    recording has as many calls of the same kinds in the same order. -1 where it has no launch.
    """
    gpu, names = run.recording.gpu, run.trace.names_where(vocabulary.is_graph_launch)
    calls = gpu.launch[events].copy()
    graph = np.flatnonzero((calls >= 0) & names[calls]) if len(names) else events[:0]
    captures = _captures(run) if len(graph) else {}
    for mine in _by_launch(calls, graph, gpu.start_ns[events]) if captures else ():
        found = captures.get(tuple(gpu.kind[events[mine]].tolist()), ())
        if len(found) == 1:
            calls[mine] = found[0]
    return calls


def _by_launch(calls: Int64s, graph: Int64s, start_ns: Int64s) -> list[Int64s]:
    """The events of each graph launch, by start."""
    ordered = graph[np.lexsort((start_ns[graph], calls[graph]))]
    edges = np.flatnonzero(np.diff(calls[ordered], prepend=-2, append=-2))
    return [ordered[low:high] for low, high in pairwise(edges.tolist())]


def _captures(run: RunAnalyses) -> dict[tuple[int, ...], list[Int64s]]:
    """The calls of each capture in order, by the kinds of events that they make."""
    kind = _kinds(run)
    found: dict[tuple[int, ...], list[Int64s]] = {}
    for rows in _between(run, kind >= 0):
        found.setdefault(tuple(kind[rows].tolist()), []).append(rows)
    return found


def _kinds(run: RunAnalyses) -> Int64s:
    """By row, the kind of event that a call makes; -1 of all other rows. Launches inside others are none."""
    kind = np.full(len(run.trace.events), -1, np.int64)
    calls = run.recording.kinds.call
    for i, name in enumerate(run.trace.names):
        if vocabulary.is_memcpy_async(name):
            kind[calls & (run.trace.events.name == i)] = Category.MEMCPY
        elif vocabulary.is_memset_async(name):
            kind[calls & (run.trace.events.name == i)] = Category.MEMSET
    kind[run.launches.row] = Category.KERNEL
    return kind


def _between(run: RunAnalyses, chosen: Bools) -> Sequence[Int64s]:
    """The chosen rows between the begin and the end of each capture of a thread, by start."""
    events, calls = run.trace.events, run.recording.kinds.call
    begins = np.flatnonzero(calls & run.trace.names_where(vocabulary.begins_capture))
    ends = np.flatnonzero(calls & run.trace.names_where(vocabulary.ends_capture))
    captures = []
    for begin in begins[np.argsort(events.start_ns[begins], kind="stable")].tolist():
        start, lane = events.start_ns[begin], events.lane[begin]
        after = events.start_ns[ends[(events.lane[ends] == lane) & (events.start_ns[ends] > start)]]
        if len(after):
            rows = np.sort(
                begun_in(run.trace, run.origins.nesting, int(lane), int(start) + 1, int(after.min()))
            )
            rows = rows[chosen[rows]]
            captures.append(rows[np.argsort(events.start_ns[rows], kind="stable")])
    return captures
