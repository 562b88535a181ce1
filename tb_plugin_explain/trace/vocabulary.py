"""Names of calls and events, by what they mean; ``docs/definitions.md``, section Names.

Each predicate takes the text of a name and is asked once for each distinct name of a trace.
"""

from __future__ import annotations

import re

# Up to 15 digits: what every reader of JSON holds exactly.
_PROFILER_STEP = re.compile(r"ProfilerStep#([0-9]{1,15})")

# CUDA: docs.nvidia.com, "API synchronization behavior"; HIP: same names; XPU: Level Zero and UR.
_EXPLICIT_WAIT = re.compile(
    r"(cuda(Device|Stream|Event|Thread)Synchronize|cu(Ctx|Stream|Event)Synchronize)(_ptsz|_v\d+)*"
    r"|hip(Device|Stream|Event|Ctx)Synchronize"
    r"|cudaMemcpy|hipMemcpy"
    r"|ze(CommandQueue|Fence|Event|CommandList)(Host)?Synchronize"
    r"|urQueueFinish|urEventWait"
)
# MTIA's names are ordinary words, so they mean a wait in a runtime category only.
_EXPLICIT_RUNTIME_WAIT = frozenset({"synchronize", "synchronizeStream"})
_DEVICE_WIDE_WAIT = re.compile(
    r"(cuda(Device|Thread)Synchronize|cuCtxSynchronize)(_ptsz|_v\d+)*|hip(Device|Ctx)Synchronize"
)
_ALLOCATOR = re.compile(
    r"(cuda|hip)(Malloc|Free)(Host|Managed|Pitch|Array|3D|3DArray)?"
    r"|cudaHostAlloc|hipHost(Malloc|Free|Alloc)"
    r"|(cuda|hip)Host(Register|Unregister)"
    r"|cuMem(Alloc|Free|AllocHost|FreeHost|HostAlloc|AllocManaged|AllocPitch|Create|Release|Map|Unmap"
    r"|SetAccess|AddressReserve|AddressFree)(_v\d+)?"
)
_LOADING_CALL = re.compile(r"(Module|Library)(Load|Unload)")
_MEMCPY_ASYNC = re.compile(r"(cuda|hip|cu)Memcpy.*Async")
_MEMSET_ASYNC = re.compile(r"(cuda|hip|cu)Memset.*Async")
_KERNEL_LAUNCH = re.compile(r"LaunchKernel|LaunchCooperativeKernel|GraphLaunch|EnqueueKernelLaunch")
_DATA_LOADER = re.compile(r"enumerate\(DataLoader\)#|(.*/)?torch/utils/data/dataloader\.py\(\d+\): __next__$")
_COMMUNICATION = (
    "nccl", "rccl", "mscclpp", "nvshmem", "rocshmem",
    "cross_device_reduce", "multimem_all", "one_shot_all_reduce", "two_shot_all_reduce",
)  # fmt: skip
_COMPILE = re.compile(
    r".*\(dynamo_timed\)$|entire_frame_compile|inductor_compile|_compile\.|compile_fx|.*compile_id=",
    re.DOTALL,
)
# torch/_dynamo/eval_frame.py and torch/_functorch/_aot_autograd name what runs compiled;
# torch/_inductor/output_code.py the call of one graph.
_COMPILED_CODE = re.compile(r"Torch-Compiled Region|CompiledFunction(Backward)?$|## Call CompiledFxGraph")
# Compiled autograd puts its own number before: ``!0/1/0`` (torch/_guards.py, CompileId).
_REGION_ID = re.compile(r"Torch-Compiled Region: (\S+)$")
# torch/_dynamo/resume_execution.py names what follows a graph break after the function and the line.
_RESUMED = re.compile(
    r"(?P<file>.*)\(\d+\): (?:torch_dynamo_resume_in_)+(?P<function>\w+?)(?:_at_\d+)*_at_(?P<line>\d+)"
)
# torch/_dynamo/utils.py, dynamo_timed: one phase writes up to three events.
_PHASE_TAIL = re.compile(r" \(dynamo_timed\)$|_data: .*$", re.DOTALL)
# torch/profiler/profiler.py stops the trace; torch/autograd/profiler.py waits in __exit__.
_PROFILER_STOP = re.compile(r".*: stop_trace$|.*profiler\.py\(\d+\): __exit__$")
_DIGITS = re.compile(r"\d+")
# torch/csrc/autograd/engine.cpp names what it evaluates; a custom Function is `NameBackward`.
_EVALUATED = "autograd::engine::evaluate_function: "
_BACKWARD_NODE = re.compile(rf"{_EVALUATED}|torch::autograd::|\w*Backward\d*$")

# torch's CUDA set of overhead kinds; kineto, libkineto/src/cupti_strings.cpp.
PROFILER_OVERHEAD = frozenset({"Activity Buffer Request", "Buffer Flush", "Instrumentation", "Resource"})
LOADING_OVERHEAD = frozenset({"Runtime Triggered Module Loading", "Lazy Function Loading", "Driver Compiler"})
FULL_QUEUE_OVERHEAD = "Command Buffer Full"
_CACHE_LOOKUP = "TorchDynamo Cache Lookup"
_PROLOGUES = frozenset({"Pregraph bytecode", "AOTDispatcher Runtime Wrapper Prologue"})
# Their results are as large as the values say, so the CPU waits for these (aten/src/ATen/native/cuda:
# Nonzero.cu, Unique.cu, IndexKernel.cu, Repeat.cu).
_SHAPE_READ = frozenset(
    f"aten::{name}"
    for name in (
        "nonzero", "argwhere", "masked_select", "_unique", "_unique2", "unique_dim", "unique_consecutive",
        "repeat_interleave", "bincount",
    )
)  # fmt: skip
_OCCUPANCY = re.compile(r"(cuda|hip)(Module)?Occupancy|cuOccupancy")
# Calls of these families wait under names that we know; see Names in docs/definitions.md.
_KNOWN_WAITING = re.compile(r"cuda|cu[A-Z]|hip")
_STREAM_WAIT = re.compile(r"(cuda|hip|cu)StreamWaitEvent")
_BEGIN_CAPTURE = re.compile(r"(cuda|hip|cu)StreamBeginCapture")
_END_CAPTURE = re.compile(r"(cuda|hip|cu)StreamEndCapture")


def step_number(name: str) -> int | None:
    """N of ``ProfilerStep#N``, else None."""
    match = _PROFILER_STEP.fullmatch(name) if name.startswith("ProfilerStep#") else None
    return int(match[1]) if match else None


def is_explicit_wait(name: str) -> bool:
    return _EXPLICIT_WAIT.fullmatch(name) is not None


def is_explicit_runtime_wait(name: str) -> bool:
    return name in _EXPLICIT_RUNTIME_WAIT


def is_device_wide_wait(name: str) -> bool:
    return _DEVICE_WIDE_WAIT.fullmatch(name) is not None


def is_allocator(name: str) -> bool:
    return _ALLOCATOR.fullmatch(name) is not None


def is_device_allocator(name: str) -> bool:
    """Of the allocator calls, those for memory of the GPU."""
    return "Host" not in name and "Unmap" not in name


def is_loading_call(name: str) -> bool:
    return _LOADING_CALL.search(name) is not None


def is_memcpy_async(name: str) -> bool:
    return _MEMCPY_ASYNC.match(name) is not None


def is_memset_async(name: str) -> bool:
    return _MEMSET_ASYNC.match(name) is not None


def is_memcpy_with_wait(name: str) -> bool:
    return name == "hipMemcpyWithStream"


def is_pageable_copy(name: str) -> bool:
    return "Pageable" in name


def is_pinned_copy(name: str) -> bool:
    return "Pinned" in name


def is_loading_in_process(name: str) -> bool:
    """Of a DataLoader without workers (torch/utils/data/dataloader.py names its iterators so)."""
    return "_SingleProcessDataLoaderIter" in name


def is_loading_by_workers(name: str) -> bool:
    return "_MultiProcessingDataLoaderIter" in name


def is_kernel_launch(name: str) -> bool:
    return _KERNEL_LAUNCH.search(name) is not None


def is_stream_wait(name: str) -> bool:
    """Whether the call makes one stream wait for an event of another."""
    return _STREAM_WAIT.match(name) is not None


def is_data_loader(name: str) -> bool:
    return _DATA_LOADER.match(name) is not None


def is_communication(name: str) -> bool:
    folded = name.lower()
    return any(word in folded for word in _COMMUNICATION)


def is_compile(name: str) -> bool:
    return _COMPILE.match(name) is not None


def is_compiled_path(name: str) -> bool:
    """Whether the event is part of how compiled code runs: before it, around it, or the code itself."""
    return is_before_compiled_code(name) or _COMPILED_CODE.match(name) is not None


def is_compiled_code(name: str) -> bool:
    """Whether an event holds code that torch.compile made, or is the node that calls it."""
    return _COMPILED_CODE.match(name.removeprefix(_EVALUATED)) is not None


def is_node_of_compiled_code(name: str) -> bool:
    """Whether autograd evaluates a compiled backward pass in it: it calls the compiled path, and is none."""
    return name.startswith(_EVALUATED) and is_compiled_code(name)


def is_compiled_region(name: str) -> bool:
    """Whether the event is one call of a function that was compiled."""
    return name.startswith("Torch-Compiled Region")


def region_id(name: str) -> str | None:
    """``frame/variant`` of a compiled region, None of older versions, which write none."""
    match = _REGION_ID.match(name)
    return match[1] if match else None


def resumed_at(name: str) -> str | None:
    """``file.py(12): function``, where a graph broke whose rest the Python frame runs; None of others."""
    match = _RESUMED.fullmatch(name)
    return f"{match['file']}({match['line']}): {match['function']}" if match else None


def is_compiled_graph(name: str) -> bool:
    """Whether the event is the run of one graph that Inductor compiled."""
    return name.startswith("## Call CompiledFxGraph")


def is_cache_lookup(name: str) -> bool:
    """Whether the event is the search for the variant that fits the arguments."""
    return name == _CACHE_LOOKUP


def is_prologue(name: str) -> bool:
    """Whether the event prepares the arguments for the compiled code."""
    return name in _PROLOGUES


def is_before_compiled_code(name: str) -> bool:
    """Whether the event is a cache lookup or a prologue."""
    return is_cache_lookup(name) or is_prologue(name)


def compile_phase(name: str) -> str:
    """The phase of compiling that a compile event belongs to."""
    return _PHASE_TAIL.sub("", name)


def is_graph_launch(name: str) -> bool:
    """Whether a call launches a whole graph of kernels at once."""
    return "GraphLaunch" in name


def is_optimizer(name: str) -> bool:
    return name.startswith("Optimizer.step#")


def is_optimizer_part(name: str) -> bool:
    """Whether it is ``Optimizer.step#…`` or ``Optimizer.zero_grad#…``."""
    return name.startswith("Optimizer.")


def is_zero_grad(name: str) -> bool:
    return name.startswith("Optimizer.zero_grad#")


def is_copy_operator(name: str) -> bool:
    """Whether the operator copies a tensor and computes nothing."""
    return name == "aten::copy_"


def is_backward_node(name: str) -> bool:
    """Whether an operator is a node of the autograd graph as it runs backward."""
    return _BACKWARD_NODE.match(name) is not None


def evaluated_node(name: str) -> str | None:
    """The node that the autograd engine evaluates in an event of this name, None of other events."""
    return name.removeprefix(_EVALUATED) if name.startswith(_EVALUATED) else None


def is_shape_read(name: str) -> bool:
    """Whether the size of the operator's result depends on values on the GPU."""
    return name in _SHAPE_READ


def is_scalar_read(name: str) -> bool:
    """Whether the operator reads one number back."""
    return name == "aten::_local_scalar_dense"


def is_occupancy_query(name: str) -> bool:
    """Whether the call asks how many blocks of a kernel fit on the GPU."""
    return _OCCUPANCY.match(name) is not None


def is_profiler_stop(name: str) -> bool:
    return _PROFILER_STOP.match(name) is not None


def is_call_of_known_waits(name: str) -> bool:
    """Whether the call belongs to a platform whose waiting calls we know by name."""
    return _KNOWN_WAITING.match(name) is not None


def begins_capture(name: str) -> bool:
    return _BEGIN_CAPTURE.match(name) is not None


def ends_capture(name: str) -> bool:
    return _END_CAPTURE.match(name) is not None


def without_digits(name: str) -> str:
    """The name that generated kernels of different compilations share."""
    return _DIGITS.sub("", name)
