"""Names and categories of the definitions: which event is what.

"Whole names; ~ means contains."
"""

from __future__ import annotations

import re

OP, ANNOTATION, PYTHON = "op", "annotation", "python"
RUNTIME, DRIVER, OVERHEAD = "runtime", "driver", "overhead"
KERNEL, COPY, MEMSET = "kernel", "copy", "memset"

GPU_KINDS = (KERNEL, COPY, MEMSET)
CALL_KINDS = (RUNTIME, DRIVER)
THREAD_KINDS = (OP, ANNOTATION, PYTHON, RUNTIME, DRIVER)

_CATEGORIES = {
    "cpu_op": OP,
    "operator": OP,
    "user_annotation": ANNOTATION,
    "python_function": PYTHON,
    "python": PYTHON,
    "runtime": RUNTIME,
    "overhead": OVERHEAD,
    "kernel": KERNEL,
    "gpu_memcpy": COPY,
    "memcpy": COPY,
    "gpu_memset": MEMSET,
    "memset": MEMSET,
}


def kind_of(category: object, name: str, pid: str) -> str | None:
    """The kind of a timed event, or None where the definitions ignore it."""
    if category is None or category == "":
        return _kind_without_category(name, pid)
    text = str(category).lower()
    if text == "mtia_ccp_events":
        return _kind_of_mtia(name)
    if text in _CATEGORIES:
        return _CATEGORIES[text]
    if text.endswith("_runtime") and text != "glow_runtime":
        return RUNTIME
    if text.endswith("_driver"):
        return DRIVER
    return None


def _kind_without_category(name: str, pid: str) -> str | None:
    if pid == "CUDA functions":
        return KERNEL
    if name.startswith("Iteration Start") or name == "Record Window End":
        return None
    return OP


def _kind_of_mtia(name: str) -> str | None:
    if name == "dma_request":
        return COPY
    if name in ("event_wait", "event_record"):
        return None
    return KERNEL


STEP = re.compile(r"ProfilerStep#([0-9]+)")
STEP_CATEGORIES = ("user_annotation", "cpu_op", "operator")

# "`cuda{Device,Stream,Event,Thread}Synchronize`, `cu{Ctx,Stream,Event}Synchronize` (also `_ptsz`, `_vN`)":
# read as going for both families, since the CUDA runtime has the same suffixes.
_SUFFIX = r"(?:_ptsz|_v[0-9]+)*"
_EXPLICIT = re.compile(
    rf"cuda(?:Device|Stream|Event|Thread)Synchronize{_SUFFIX}"
    rf"|cu(?:Ctx|Stream|Event)Synchronize{_SUFFIX}"
    r"|hip(?:Device|Stream|Event|Ctx)Synchronize"
    r"|cudaMemcpy|hipMemcpy"
    r"|ze(?:CommandQueue|Fence|Event|CommandList)(?:Host)?Synchronize"
    r"|urQueueFinish|urEventWait"
)
_DEVICE_WIDE = re.compile(
    rf"cuda(?:Device|Thread)Synchronize{_SUFFIX}|cuCtxSynchronize{_SUFFIX}|hip(?:Device|Ctx)Synchronize"
)
_MTIA_WAITS = ("synchronize", "synchronizeStream")


def is_explicit_wait(kind: str, name: str) -> bool:
    if kind not in CALL_KINDS:
        return False
    if name in _MTIA_WAITS:  # "MTIA's … (runtime categories only)"
        return kind == RUNTIME
    return _EXPLICIT.fullmatch(name) is not None


def is_device_wide_wait(kind: str, name: str) -> bool:
    return kind in CALL_KINDS and _DEVICE_WIDE.fullmatch(name) is not None


_ALLOCATOR = re.compile(
    r"(?:cuda|hip)(?:Malloc|Free)(?:Host|Managed|Pitch|Array|3D|3DArray)?"
    r"|cudaHostAlloc"
    r"|hipHost(?:Malloc|Free|Alloc)"
    r"|(?:cuda|hip)Host(?:Register|Unregister)"
    r"|cuMem(?:Alloc|Free|AllocHost|FreeHost|HostAlloc|AllocManaged|AllocPitch|Create|Release|Map|Unmap"
    r"|SetAccess|AddressReserve|AddressFree)(?:_v[0-9]+)?"
)
_LOADING_CALL = re.compile(r"(?:Module|Library)(?:Load|Unload)")
_LAUNCH_CALL = re.compile(r"LaunchKernel|LaunchCooperativeKernel|GraphLaunch|EnqueueKernelLaunch")
_ASYNC_COPY = re.compile(r"(?:cuda|hip|cu)Memcpy.*Async.*")


def is_allocator_call(kind: str, name: str) -> bool:
    return kind in CALL_KINDS and _ALLOCATOR.fullmatch(name) is not None


def is_loading_call(kind: str, name: str) -> bool:
    return kind in CALL_KINDS and _LOADING_CALL.search(name) is not None


def is_kernel_launch_call(kind: str, name: str) -> bool:
    return kind in CALL_KINDS and _LAUNCH_CALL.search(name) is not None


def is_async_copy_call(kind: str, name: str) -> bool:
    return kind in CALL_KINDS and _ASYNC_COPY.fullmatch(name) is not None


LOADING_OVERHEAD = ("Runtime Triggered Module Loading", "Lazy Function Loading", "Driver Compiler")
PROFILER_OVERHEAD = ("Activity Buffer Request", "Buffer Flush", "Instrumentation", "Resource")
QUEUE_FULL_OVERHEAD = "Command Buffer Full"

_COMMUNICATION = (
    "nccl",
    "rccl",
    "mscclpp",
    "nvshmem",
    "rocshmem",
    "cross_device_reduce",
    "multimem_all",
    "one_shot_all_reduce",
    "two_shot_all_reduce",
)


def has_communication_name(name: str) -> bool:
    lower = name.lower()
    return any(part in lower for part in _COMMUNICATION)


_DATA_LOADER = re.compile(
    r"enumerate\(DataLoader\)#.*|torch/utils/data/dataloader\.py\(.*\): __next__", re.DOTALL
)
COMPILE_LOOKUP = ("TorchDynamo Cache Lookup", "Pregraph bytecode", "AOTDispatcher Runtime Wrapper Prologue")
_COMPILE_STARTS = ("entire_frame_compile", "inductor_compile", "_compile.", "compile_fx")


def is_data_loader(name: str) -> bool:
    return _DATA_LOADER.fullmatch(name) is not None


def is_optimizer(name: str) -> bool:
    return name.startswith("Optimizer.step#")


def is_compile(name: str) -> bool:
    return name.endswith("(dynamo_timed)") or name.startswith(_COMPILE_STARTS) or "compile_id=" in name


_STOP_FRAME = re.compile(r"(?:.*: )?stop_trace|.*profiler.*: __exit__", re.DOTALL)


def is_profiler_exit_frame(name: str) -> bool:
    """A Python frame `stop_trace` or profiler `__exit__` (`torch/autograd/profiler.py(363): __exit__`)."""
    return _STOP_FRAME.fullmatch(name) is not None
