"""Section `communication`: kernels that exchange data with other ranks."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from .. import names
from ..intervals import Cover, length, subtract
from ..load import Event
from .basis import Basis, duration, longest_duration, owned_times, total, whole_number

SEQUENCE = 2_000  # "At most 2,000; `null` where there are more"
COLLECTIVES = (
    ("allreduce", "all_reduce"),
    ("allgather", "all_gather"),
    ("reducescatter", "reduce_scatter"),
    ("alltoall", "all_to_all"),
    ("sendrecv", "send_recv"),
    ("broadcast", "broadcast"),
    ("barrier", "barrier"),
    ("crossdevicereduce", "all_reduce"),
    ("send", "send"),
    ("recv", "recv"),
    ("scatter", "scatter"),
    ("gather", "gather"),
    ("reduce", "reduce"),
)
LIBRARIES = (
    ("nvshmem", "nvshmem"),
    ("rocshmem", "nvshmem"),
    ("mscclpp", "mscclpp"),
    ("rccl", "rccl"),
    ("nccl", "nccl"),
    ("multimem_all", "symmetric_memory"),
    ("one_shot_all_reduce", "symmetric_memory"),
    ("two_shot_all_reduce", "symmetric_memory"),
    ("cross_device_reduce", "custom_all_reduce"),
)
TYPE_BYTES = {
    "Byte": 1,
    "Char": 1,
    "Bool": 1,
    "Float8_e4m3fn": 1,
    "Float8_e5m2": 1,
    "Float8_e4m3fnuz": 1,
    "Float8_e5m2fnuz": 1,
    "Short": 2,
    "Half": 2,
    "BFloat16": 2,
    "Int": 4,
    "Float": 4,
    "ComplexHalf": 4,
    "Long": 8,
    "Double": 8,
    "ComplexFloat": 8,
    "ComplexDouble": 16,
}


def reference_communication(basis: Basis) -> dict[str, Any] | None:
    kernels = [e for e in basis.averaged_work if e.communication]
    if not kernels:
        return None
    owned, exposed = times(basis)
    by_row: dict[tuple[str | None, str | None], list[Event]] = defaultdict(list)
    for kernel in kernels:
        by_row[collective_of(basis, kernel), library_of(kernel)].append(kernel)
    rows = [row(basis, key, of_row, owned, exposed) for key, of_row in by_row.items()]
    rows.sort(key=lambda r: (-r["time_us"], -r["count"], r["collective"] or "", r["library"] or ""))
    listed = sequence(basis)
    summed = ("count", "time_us", "union_us", "exposed_us", "overlapped_us")
    return {
        "steps": len(basis.averaged),
        **{key: sum(r[key] for r in rows) for key in summed},
        "waiting_us": None,
        "transfer_us": None,
        "rows": rows,
        "sequence": listed,
        "not_measured": ["transfer_us", "waiting_us", *(["sequence"] if listed is None else [])],
    }


def recorded_name(basis: Basis, kernel: Event) -> str | None:
    found = basis.arguments(kernel).get("Collective name")
    return None if found is None else str(found)


def collective_of(basis: Basis, kernel: Event) -> str | None:
    recorded = recorded_name(basis, kernel)
    text = (kernel.name if recorded is None else recorded).replace("_", "").lower()
    return next((spelt for part, spelt in COLLECTIVES if part in text), recorded)


def library_of(kernel: Event) -> str | None:
    text = kernel.name.lower()
    return next((library for part, library in LIBRARIES if part in text), None)


def bytes_of(basis: Basis, kernel: Event) -> int | None:
    """The larger of `In msg nelems` and `Out msg nelems` times the size of `dtype`."""
    arguments = basis.arguments(kernel)
    counts = [whole_number(arguments.get(key)) for key in ("In msg nelems", "Out msg nelems")]
    size = TYPE_BYTES.get(str(arguments.get("dtype")))
    known = [count for count in counts if count is not None]
    return max(known) * size if known and size is not None else None


def times(basis: Basis) -> tuple[dict[int, int], dict[int, int]]:
    """Per kernel, by its place in the file: what belongs to it, and the exposed part of that."""
    owned: dict[int, int] = defaultdict(int)
    exposed: dict[int, int] = defaultdict(int)
    for step in basis.averaged:
        for device in step.devices():
            work = step.work(device)
            others = Cover((e.start, e.end) for e in work if not e.communication)
            for kernel, own in owned_times(e for e in work if e.communication):
                owned[kernel.index] += length(own)
                exposed[kernel.index] += length(subtract(own, others.within(own)))
    return owned, exposed


def row(
    basis: Basis,
    key: tuple[str | None, str | None],
    kernels: list[Event],
    owned: dict[int, int],
    exposed: dict[int, int],
) -> dict[str, Any]:
    sizes = [size for k in kernels if (size := bytes_of(basis, k)) is not None]
    union_ns, exposed_ns = sum(owned[k.index] for k in kernels), sum(exposed[k.index] for k in kernels)
    return {
        "collective": key[0],
        "library": key[1],
        "recorded": any(recorded_name(basis, k) is not None for k in kernels),
        "count": len(kernels),
        "time_us": total(kernels),
        "bytes": sum(sizes) if sizes else None,
        "sized_count": len(sizes),
        "union_us": union_ns,
        "exposed_us": exposed_ns,
        "overlapped_us": union_ns - exposed_ns,
        "longest_event": longest_duration(kernels),
    }


def sequence(basis: Basis) -> dict[str, Any] | None:
    """The communication kernels of the whole recording on the device with most of them."""
    kernels = [e for e in basis.recording.gpu if e.kind == names.KERNEL and e.communication]
    counts = Counter(k.device for k in kernels)
    device = min(counts, key=lambda d: (-counts[d], d))
    kernels = sorted((k for k in kernels if k.device == device), key=lambda k: (k.start, k.index))
    if len(kernels) > SEQUENCE:
        return None
    pairs = [(k.name, collective_of(basis, k)) for k in kernels]
    kinds = list(dict.fromkeys(pairs))
    return {
        "device": device,
        "kinds": [{"kernel": name, "collective": collective} for name, collective in kinds],
        "kind": [kinds.index(pair) for pair in pairs],
        "start_us": [k.start - basis.origin for k in kernels],
        "duration_us": [duration(k) for k in kernels],
    }
