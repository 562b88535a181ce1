"""Kernels that exchange data with other ranks: which collective, how long, hidden behind what.

docs/definitions/communication.md. Invariant: exposed and overlapped sum to the communication's union.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from tb_plugin_explain.analyses.averaged_work import AveragedWork
from tb_plugin_explain.analyses.exposure import Exposure
from tb_plugin_explain.analyses.longest import longest_of
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.links import GpuWork
from tb_plugin_explain.trace.model import Int64s, Trace

# In a name without underscores; the longer of two that fit stands first.
_COLLECTIVES: Mapping[str, str] = {
    "allreduce": "all_reduce",
    "allgather": "all_gather",
    "reducescatter": "reduce_scatter",
    "alltoall": "all_to_all",
    "sendrecv": "send_recv",
    "broadcast": "broadcast",
    "barrier": "barrier",
    "crossdevicereduce": "all_reduce",
    "send": "send",
    "recv": "recv",
    "scatter": "scatter",
    "gather": "gather",
    "reduce": "reduce",
}
_LIBRARIES: Mapping[str, str] = {
    "nvshmem": "nvshmem",
    "rocshmem": "rocshmem",
    "mscclpp": "mscclpp",
    "rccl": "rccl",
    "nccl": "nccl",
    "multimem_all": "symmetric_memory",
    "one_shot_all_reduce": "symmetric_memory",
    "two_shot_all_reduce": "symmetric_memory",
    "cross_device_reduce": "custom_all_reduce",
}


def collective_of(text: str) -> str | None:
    """The collective that a kernel’s or a recorded name means."""
    plain = text.replace("_", "").lower()
    return next((name for part, name in _COLLECTIVES.items() if part in plain), None)


def library_of(kernel: str) -> str | None:
    """The library that a kernel’s name belongs to."""
    lower = kernel.lower()
    return next((name for part, name in _LIBRARIES.items() if part in lower), None)


class CommunicationRow(Struct, frozen=True):
    """One collective of one library over the averaged steps; bytes None where never recorded.

    longest: row of the longest kernel.
    """

    collective: str | None
    library: str | None
    recorded: bool
    count: int
    time_ns: int
    bytes: int | None
    sized_count: int
    union_ns: int
    exposed_ns: int
    longest: int


class CollectiveOrder(Struct, frozen=True, eq=False):
    """The communication kernels of one device in order. kinds: kernel name and collective of each kind."""

    device: int
    kinds: Sequence[tuple[str, str | None]]
    kind: Int64s
    start_ns: Int64s
    duration_ns: Int64s


class Collectives:
    """Which collective each communication kernel of a trace is, by position in ``GpuWork``."""

    def __init__(self, trace: Trace, gpu: GpuWork) -> None:
        details = trace.details.communication
        self.position = np.flatnonzero(gpu.communication)
        rows = gpu.row[self.position]
        self._recorded = np.full(len(rows), -1, np.int64)
        self.size_bytes = np.full(len(rows), -1, np.int64)
        if len(details.row):
            at = np.minimum(np.searchsorted(details.row, rows), len(details.row) - 1)
            known = details.row[at] == rows
            self._recorded[known] = details.collective[at[known]]
            self.size_bytes[known] = details.size_bytes[at[known]]
        # A pair of kernel name and recorded collective is one number.
        names = len(trace.details.collectives) + 1
        pairs, self.kind = np.unique(
            gpu.name[self.position].astype(np.int64) * names + self._recorded + 1, return_inverse=True
        )
        self.kinds: list[tuple[str, str | None]] = []
        self.recorded_kinds: list[bool] = []
        for pair in pairs.tolist():
            kernel, said = trace.names[pair // names], pair % names
            text = trace.details.collectives[said - 1] if said else kernel
            self.kinds.append((kernel, collective_of(text) or (text if said else None)))
            self.recorded_kinds.append(bool(said))


def find_rows(collectives: Collectives, work: AveragedWork, exposure: Exposure) -> list[CommunicationRow]:
    """One a pair of collective and library, the most expensive first."""
    gpu = work.gpu
    duration_ns = gpu.end_ns - gpu.start_ns
    averaged = np.isin(collectives.position, work.position)
    labels = [(collective, library_of(kernel)) for kernel, collective in collectives.kinds]
    rows = []
    for label in dict.fromkeys(labels):
        kinds = [k for k, other in enumerate(labels) if other == label]
        mine = averaged & np.isin(collectives.kind, kinds)
        if not mine.any():
            continue
        position, size = collectives.position[mine], collectives.size_bytes[mine]
        recorded = any(collectives.recorded_kinds[k] for k in distinct(collectives.kind[mine]).tolist())
        rows.append(
            CommunicationRow(
                *label,
                recorded=recorded,
                count=len(position),
                time_ns=int(duration_ns[position].sum()),
                bytes=int(size[size >= 0].sum()) if (size >= 0).any() else None,
                sized_count=int((size >= 0).sum()),
                union_ns=int(exposure.union_ns[position].sum()),
                exposed_ns=int(exposure.exposed_ns[position].sum()),
                longest=longest_of(duration_ns[position], gpu.row[position]),
            )
        )
    return sorted(rows, key=lambda r: (-r.time_ns, -r.count, r.collective or "", r.library or ""))


def find_order(collectives: Collectives, gpu: GpuWork) -> CollectiveOrder | None:
    """All communication kernels of the device with most of them; None without any."""
    devices, counts = np.unique(gpu.device[collectives.position], return_counts=True)
    if not len(devices):
        return None
    device = int(devices[np.argmax(counts)])
    mine = gpu.device[collectives.position] == device
    position = collectives.position[mine]
    kinds, kind = np.unique(collectives.kind[mine], return_inverse=True)
    return CollectiveOrder(
        device,
        [collectives.kinds[k] for k in kinds.tolist()],
        kind.astype(np.int64),
        gpu.start_ns[position],
        gpu.end_ns[position] - gpu.start_ns[position],
    )
