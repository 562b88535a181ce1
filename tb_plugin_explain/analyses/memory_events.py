"""The memory events of each allocator, in order, with the totals between them.

docs/definitions/memory.md, Events and Blocks. State k of an allocator is what it holds after its
first k events. Invariant: live blocks, what was there before, and what is unaccounted for sum to
the allocated total of every state.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.operator_at import operators_at
from tb_plugin_explain.trace.model import NONE, Int64s, Trace

MEMORY_EVENT = "[memory]"
OUT_OF_MEMORY = "[OutOfMemory]"

CPU = 0


class Blocks(Struct, frozen=True, eq=False):
    """One element a recorded allocation, by time; all int64.

    event: its position among the allocator's events. dies: the first state without it, beyond all
    states where it is never freed. operator: name id of the operator that asked for it, -1 for none.
    """

    event: Int64s
    size_bytes: Int64s
    dies: Int64s
    operator: Int64s

    def live(self, state: int) -> Int64s:
        """Positions of the blocks that live in a state."""
        return np.flatnonzero((self.event < state) & (state < self.dies))


class OperatorMemory(Struct, frozen=True):
    """Blocks of one operator; operator: name id, -1 for none."""

    operator: int
    blocks: int
    size_bytes: int


class LiveMemory(Struct, frozen=True):
    """What was allocated in one state; operators by size, largest first."""

    by_operator: Sequence[OperatorMemory]
    before_recording_bytes: int
    unaccounted_bytes: int


class Allocator:
    """One device of one process: its events by time, then by order in the file; all int64.

    row, time_ns, size_bytes (negative: a free), address: one element an event.
    allocated_bytes, reserved_bytes: one element a state; None where not recorded.
    """

    def __init__(self, trace: Trace, operator: Int64s, chosen: Int64s, out_of_memory: int) -> None:
        """``operator``: row of the operator around each memory event; ``chosen``: positions of its own."""
        memory, events = trace.details.memory, trace.events
        order = np.lexsort((events.ordinal[memory.row[chosen]], events.start_ns[memory.row[chosen]]))
        chosen = chosen[order]
        self._trace = trace
        self.row = memory.row[chosen]
        self.time_ns = events.start_ns[self.row]
        self.size_bytes = memory.size_bytes[chosen]
        self.address = memory.address[chosen]
        self._operator = operator[chosen]
        self.process = int(events.process[self.row[0]])
        self.device_type = int(memory.device_type[chosen[0]])
        self.device = int(memory.device[chosen[0]])
        self.out_of_memory = out_of_memory
        allocated, reserved = memory.allocated_bytes[chosen], memory.reserved_bytes[chosen]
        known, kept = bool((allocated >= 0).all()), bool((reserved >= 0).all() and reserved.any())
        self.allocated_bytes: Int64s | None = (
            np.concatenate((allocated[:1] - self.size_bytes[:1], allocated)) if known else None
        )
        self.reserved_bytes: Int64s | None = np.concatenate((reserved[:1], reserved)) if kept else None

    def __len__(self) -> int:
        return len(self.row)

    def state_at(self, time_ns: int) -> int:
        """The state at an instant: after all events before it."""
        return int(np.searchsorted(self.time_ns, time_ns, side="left"))

    @cached_property
    def _by_address(self) -> tuple[Int64s, Int64s, Int64s]:
        """Events that are no mere totals, with the one before and after of the same address (-1: none)."""
        events = np.flatnonzero(self.size_bytes != 0)
        events = events[np.argsort(self.address[events], kind="stable")]
        same = self.address[events][1:] == self.address[events][:-1]
        before, after = np.full(len(events), NONE, np.int64), np.full(len(events), NONE, np.int64)
        before[1:] = np.where(same, events[:-1], NONE)
        after[:-1] = np.where(same, events[1:], NONE)
        return events, before, after

    @cached_property
    def blocks(self) -> Blocks:
        events, _before, after = self._by_address
        chosen = np.flatnonzero(self.size_bytes[events] > 0)
        chosen = chosen[np.argsort(events[chosen])]
        event, end = events[chosen], after[chosen]
        operator = self._operator[event]
        name = self._trace.events.name
        return Blocks(
            event=event,
            size_bytes=self.size_bytes[event],
            dies=np.where(end == NONE, len(self) + 1, end + 1),
            operator=np.where(operator == NONE, NONE, name[operator]).astype(np.int64),
        )

    @cached_property
    def _older_freed_bytes(self) -> Int64s:
        """By state, the size of the freed blocks that were allocated before the recording."""
        events, before, _after = self._by_address
        unknown = (self.size_bytes[events] < 0) & ((before == NONE) | (self.size_bytes[before] < 0))
        freed = np.zeros(len(self) + 1, np.int64)
        freed[events[unknown] + 1] = -self.size_bytes[events[unknown]]
        return np.cumsum(freed)

    def by_operator(self, blocks: Int64s) -> Sequence[OperatorMemory]:
        """Some blocks (positions) summed by operator, the largest first."""
        keys, inverse = np.unique(self.blocks.operator[blocks], return_inverse=True)
        count = np.bincount(inverse, minlength=len(keys))
        size = np.zeros(len(keys), np.int64)
        np.add.at(size, inverse, self.blocks.size_bytes[blocks])
        rows = [
            OperatorMemory(k, c, s)
            for k, c, s in zip(keys.tolist(), count.tolist(), size.tolist(), strict=True)
        ]
        return sorted(
            rows, key=lambda r: (-r.size_bytes, self._trace.names[r.operator] if r.operator >= 0 else "")
        )

    def live(self, state: int) -> LiveMemory:
        """What a state is made of; only where totals were recorded."""
        assert self.allocated_bytes is not None
        blocks = self.blocks.live(state)
        older = int(self.allocated_bytes[0] - self._older_freed_bytes[state])
        known = int(self.blocks.size_bytes[blocks].sum())
        return LiveMemory(
            by_operator=self.by_operator(blocks),
            before_recording_bytes=older,
            unaccounted_bytes=int(self.allocated_bytes[state]) - older - known,
        )


def find_allocators(trace: Trace) -> Sequence[Allocator]:
    """The allocators of a trace by process, type and number, those of the CPU last."""
    memory, events = trace.details.memory, trace.events
    if not len(memory.row):
        return []
    real = ~trace.lost
    wanted = {
        text: (trace.names_where(text.__eq__) & real)[memory.row] for text in (MEMORY_EVENT, OUT_OF_MEMORY)
    }
    keys = np.stack((events.process[memory.row], memory.device_type, memory.device), axis=1)
    operator = operators_at(trace, memory.row)
    allocators = []
    for key in np.unique(keys[wanted[MEMORY_EVENT]], axis=0):
        mine = (keys == key).all(axis=1)
        lost = int((wanted[OUT_OF_MEMORY] & mine).sum())
        allocators.append(Allocator(trace, operator, np.flatnonzero(wanted[MEMORY_EVENT] & mine), lost))
    return sorted(allocators, key=lambda a: a.device_type == CPU)
