"""What an event is, from its phase, category, process and name.

Categories are compared case-insensitively: files of 2021 write ``Kernel`` and ``Operator``,
those of 2022 ``gpu_user_Annotation`` (libkineto, ActivityType).
"""

from __future__ import annotations

from enum import IntEnum

from tb_plugin_explain.trace.category import Category

_NAMED = {
    "cpu_op": Category.CPU_OP,
    "operator": Category.CPU_OP,
    "user_annotation": Category.ANNOTATION,
    "gpu_user_annotation": Category.GPU_ANNOTATION,
    "runtime": Category.RUNTIME,
    "glow_runtime": Category.OTHER,
    "kernel": Category.KERNEL,
    "gpu_memcpy": Category.MEMCPY,
    "memcpy": Category.MEMCPY,
    "gpu_memset": Category.MEMSET,
    "memset": Category.MEMSET,
    "overhead": Category.OVERHEAD,
    "python_function": Category.PYTHON,
    "python": Category.PYTHON,
    "cuda_sync": Category.SYNC_ROW,
    "xpu_sync": Category.SYNC_ROW,
    "cuda_event": Category.SYNC_ROW,
    "mtia_workloadd": Category.SYNC_ROW,
    "cpu_instant_event": Category.INSTANT,
}
_ENDINGS = {"_runtime": Category.RUNTIME, "_driver": Category.DRIVER}
_MTIA_DEVICE = "mtia_ccp_events"
_MTIA_NAMES = {
    "dma_request": Category.MEMCPY,
    "event_wait": Category.SYNC_ROW,
    "event_record": Category.SYNC_ROW,
}
_LEGACY_GPU_PROCESS = "CUDA functions"
_WINDOW_MARKS = ("Iteration Start", "Record Window End")

GPU_WORK = (Category.KERNEL, Category.MEMCPY, Category.MEMSET)


class Kind(IntEnum):
    """What becomes of an entry; the numbers below ``BY_NAME`` are its ``Category``."""

    BY_NAME = 16
    MTIA = 17
    BEGIN = 32
    END = 33
    METADATA = 34
    NO_ROW = 35
    MALFORMED = 36


FIRST_KIND_WITHOUT_ROW = Kind.BEGIN


def kind_of(phase: object, category: object) -> int:
    """The kind of an entry with this ``ph`` and ``cat``: a ``Category`` or a ``Kind``."""
    if not isinstance(phase, str) or not phase:
        return Kind.MALFORMED
    if phase == "M":
        return Kind.METADATA
    if phase == "B":
        return Kind.BEGIN
    if phase == "E":
        return Kind.END
    row = row_kind(category)
    if phase == "X" or (phase in "iI" and row == Category.INSTANT):
        return row
    return Kind.NO_ROW


def row_kind(category: object) -> int:
    """The kind of a timed event of this ``cat``: a ``Category``, ``BY_NAME`` or ``MTIA``."""
    if not isinstance(category, str) or not category:
        return Kind.BY_NAME
    lowered = category.lower()
    if lowered in _NAMED:
        return _NAMED[lowered]
    if lowered == _MTIA_DEVICE:
        return Kind.MTIA
    for ending, found in _ENDINGS.items():
        if lowered.endswith(ending):
            return found
    return Category.OTHER


def is_known(category: str) -> bool:
    """Whether torch.profiler writes this ``cat``; ``row_kind`` makes ``OTHER`` of all else."""
    lowered = category.lower()
    return lowered in _NAMED or lowered == _MTIA_DEVICE or lowered.endswith(tuple(_ENDINGS))


def category_by_name(kind: int, process: str, name: str) -> Category:
    """The category of a ``BY_NAME`` or ``MTIA`` row.

    Without a category are the rows of the legacy autograd export, which names the process of
    GPU work, and those of other writers. Device-side waiting of MTIA is no work.
    """
    if kind == Kind.MTIA:
        return _MTIA_NAMES.get(name, Category.KERNEL)
    if name.startswith(_WINDOW_MARKS):
        return Category.OTHER
    return Category.KERNEL if process == _LEGACY_GPU_PROCESS else Category.CPU_OP
