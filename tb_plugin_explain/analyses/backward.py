"""What runs in a backward pass, and which operator of the forward pass it belongs to.

docs/definitions/nesting.md, "Through the backward pass".
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.nesting import Nesting
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.model import NONE, Bools, Category, Int32s, Int64s, Trace

_NO_SEQUENCE = -1


class BackwardPasses(Struct, frozen=True, eq=False):
    """running: whether each row of the trace runs in a backward pass.

    nodes: whether each row is a backward node. forward: by row, the forward operator of the
    outermost nodes, -1 of all other rows.
    """

    nesting: Nesting
    running: Bools
    nodes: Bools
    forward: Int32s

    @property
    def linked(self) -> bool:
        """Whether any node leads to an operator of the forward pass."""
        return bool((self.forward >= 0).any())

    def forward_of(self, rows: Int64s) -> Int64s:
        """The forward operator of the node in which each row runs, -1 where there is none."""
        node = self.nesting.outermost(rows, self.nodes)
        return np.where(node >= 0, self.forward[node], NONE)


def _last_before(key: Int64s, begin: Int64s, wanted_key: Int64s, wanted_begin: Int64s) -> Int64s:
    """For each wanted pair, the last candidate of the same key that begins before; -1 where none."""
    both = np.concatenate((wanted_key, key))
    times = np.concatenate((wanted_begin, begin))
    candidate = np.concatenate((np.full(len(wanted_key), NONE), np.arange(len(key))))
    order = np.lexsort((candidate >= 0, times, both))
    place = np.where(candidate[order] >= 0, np.arange(len(order)), NONE)
    latest = np.maximum.accumulate(place)
    same = (latest >= 0) & (both[order][latest] == both[order])
    found = np.full(len(both), NONE, np.int64)
    found[order] = np.where(same, candidate[order][latest], NONE)
    return found[: len(wanted_key)]


def _on_one_thread(key: Int64s, lane: Int64s) -> Bools:
    """Whether all elements of each element's key stand on one thread."""
    _, group = np.unique(key, return_inverse=True)
    first, last = np.full(len(key), np.iinfo(np.int64).max), np.full(len(key), NONE)
    np.minimum.at(first, group, lane)
    np.maximum.at(last, group, lane)
    single: Bools = first[group] == last[group]
    return single


def find_backward_passes(trace: Trace, nesting: Nesting) -> BackwardPasses:
    """The backward passes of a trace."""
    events, told = trace.events, trace.details.operators
    nodes = trace.is_category(Category.CPU_OP) & trace.names_where(vocabulary.is_backward_node)
    below = nesting.inside(nodes)
    running = nodes | below
    sequence = np.full(len(events), _NO_SEQUENCE, np.int64)
    sequence[told.row] = told.sequence
    # One key for a number of one process.
    key = sequence * max(len(trace.processes), 1) + events.process
    ordered = nesting.ordered(sequence >= 0)
    forwards = ordered[~running[ordered]]
    wanted = ordered[nodes[ordered] & ~below[ordered]]
    found = _last_before(key[forwards], events.start_ns[forwards], key[wanted], events.start_ns[wanted])
    single = _on_one_thread(key[forwards], events.lane[forwards].astype(np.int64))
    forward = np.full(len(events), NONE, np.int32)
    sure = found >= 0
    sure[sure] = single[found[sure]]
    forward[wanted[sure]] = forwards[found[sure]]
    return BackwardPasses(nesting, running, nodes, forward)
