"""What a call was made by: the tree of every thread, and the way through the backward pass."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

from .. import names
from ..load import Event
from .basis import Basis, is_operator, whole_number

ROUNDING = 1_000  # "Ends that differ by rounding (1 µs in old files) never close anything"
RANK = {names.PYTHON: 0, names.RUNTIME: 0, names.DRIVER: 0, names.ANNOTATION: 1, names.OP: 2}
ORDER = {names.PYTHON: 0, names.ANNOTATION: 0, names.OP: 0, names.RUNTIME: 1, names.DRIVER: 2}
MODULE = "nn.Module: "
_BACKWARD = re.compile(r"autograd::engine::evaluate_function: .*|torch::autograd::.*", re.DOTALL)
_NODE = re.compile(r"[A-Za-z0-9_]*Backward[0-9]*")


def is_module(event: Event) -> bool:
    return event.kind == names.PYTHON and event.name.startswith(MODULE)


def is_annotation(event: Event) -> bool:
    return event.kind == names.ANNOTATION and not names.STEP.fullmatch(event.name)


def is_backward_node(event: Event) -> bool:
    matched = _BACKWARD.fullmatch(event.name) or _NODE.fullmatch(event.name)
    return event.kind == names.OP and matched is not None


class Nesting:
    def __init__(self, basis: Basis) -> None:
        self.basis = basis
        self.parent: dict[int, Event | None] = {}
        self.cut_end: dict[int, int] = {}
        self.rank_in_order: dict[int, int] = {}  # place in the order of the thread
        self.node: dict[int, Event | None] = {}  # of each event, the outermost backward node
        for events in basis.recording.by_thread.values():
            self._stack(sorted(events, key=lambda e: (e.start, -e.end, ORDER[e.kind], e.index)))
        self._forward = self._operators_by_number()

    def _stack(self, events: list[Event]) -> None:
        still_open: list[Event] = []
        for place, event in enumerate(events):
            while still_open and self.cut_end[still_open[-1].index] <= event.start:
                still_open.pop()
            while still_open and self._gives_way(still_open[-1], event):
                self.cut_end[still_open.pop().index] = event.start
            parent = still_open[-1] if still_open else None
            self.parent[event.index] = parent
            limit = event.end if parent is None else self.cut_end[parent.index]
            self.cut_end[event.index] = min(event.end, limit)
            self.rank_in_order[event.index] = place
            above = None if parent is None else self.node[parent.index]
            own = event if is_backward_node(event) else None
            self.node[event.index] = above or own
            still_open.append(event)

    def _gives_way(self, innermost: Event, event: Event) -> bool:
        crossing = self.cut_end[innermost.index] + ROUNDING < event.end
        return crossing and RANK[innermost.kind] < RANK[event.kind]

    def cut_length(self, event: Event) -> int:
        return self.cut_end[event.index] - event.start

    def ancestors(self, event: Event) -> Iterator[Event]:
        """Innermost first."""
        parent = self.parent[event.index]
        while parent is not None:
            yield parent
            parent = self.parent[parent.index]

    def sequence_number(self, event: Event) -> int | None:
        number = whole_number(self.basis.arguments(event).get("Sequence number"))
        return None if number is None or number < 0 else number

    def _operators_by_number(self) -> dict[tuple[str, int], list[Event]]:
        found: dict[tuple[str, int], list[Event]] = defaultdict(list)
        for event in self.basis.recording.events:
            if is_operator(event) and self.node[event.index] is None:
                number = self.sequence_number(event)
                if number is not None:
                    found[event.pid, number].append(event)
        return found

    def forward_operator(self, node: Event) -> Event | None:
        number = self.sequence_number(node)
        operators = [] if number is None else self._forward.get((node.pid, number), [])
        if len({o.thread for o in operators}) != 1:
            return None
        earlier = [o for o in operators if o.start < node.start]
        return max(earlier, key=lambda o: (o.start, self.rank_in_order[o.index])) if earlier else None

    def forward_of(self, event: Event) -> Event | None:
        """The forward operator of the backward node in which the event runs."""
        node = self.node[event.index]
        return None if node is None else self.forward_operator(node)

    def backward_nodes(self) -> list[Event]:
        return [e for e in self.basis.recording.events if is_backward_node(e)]

    def any_forward_operator(self) -> bool:
        return any(self.forward_operator(node) is not None for node in self.backward_nodes())

    def top_operator(self, operator: Event) -> Event:
        """The outermost operator that is reached from it through operators alone."""
        parent = self.parent[operator.index]
        while parent is not None and is_operator(parent):
            operator, parent = parent, self.parent[parent.index]
        return operator

    def module_path(self, event: Event) -> tuple[str, ...]:
        """The names of the module frames among its ancestors and its own, outermost first."""
        frames = [frame for frame in (event, *self.ancestors(event)) if is_module(frame)]
        return tuple(frame.name.removeprefix(MODULE) for frame in reversed(frames))


@lru_cache(maxsize=1)
def nesting_of(basis: Basis) -> Nesting:
    return Nesting(basis)
