"""When one kind of work ran, and when it ran alone, told apart by event.

docs/definitions/copies.md and communication.md. Invariants: over the events of a step on a device,
``union_ns`` sums to the length of their union, and ``exposed_ns`` to that of the union without the
other work of the step.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from msgspec import Struct

from tb_plugin_explain.trace.links import GpuWork
from tb_plugin_explain.trace.model import Bools, Int64s
from tb_plugin_explain.trace.spans import union


class Exposure(Struct, frozen=True, eq=False):
    """One element a GPU event, int64; 0 where it is not of the kind.

    union_ns: the time that the event began to cover. exposed_ns: the part in which nothing of another
    kind of the step ran on the device; alone_ns: nothing of another kind at all.
    """

    union_ns: Int64s
    exposed_ns: Int64s
    alone_ns: Int64s


def find_exposure(gpu: GpuWork, works: Iterable[Int64s], chosen: Bools) -> Exposure:
    """``works``: ascending positions of each step's events on each device; ``chosen``: the kind."""
    owned, exposed, alone = (np.zeros(len(gpu), np.int64) for _ in range(3))
    others_of = {d: np.flatnonzero(~chosen & (gpu.device == d)) for d in gpu.devices}
    everywhere = {d: union(gpu.start_ns[at], gpu.end_ns[at]) for d, at in others_of.items()}
    for work in works:
        mine, others = work[chosen[work]], work[~chosen[work]]
        if not len(mine):
            continue
        end = gpu.end_ns[mine]
        reach = np.concatenate((gpu.start_ns[mine[:1]], np.maximum.accumulate(end)[:-1]))
        begin = np.maximum(gpu.start_ns[mine], reach)
        owned[mine] = np.maximum(end - begin, 0)
        covered = union(gpu.start_ns[others], gpu.end_ns[others]).covered(begin, end)
        exposed[mine] = owned[mine] - covered
        device = int(gpu.device[mine[0]])
        alone[mine] = owned[mine] - everywhere[device].covered(begin, end)
    return Exposure(owned, exposed, alone)
