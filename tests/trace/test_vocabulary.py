"""Every name of the definitions, and names that look like one and are none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tb_plugin_explain.trace import vocabulary as v

EXPLICIT_WAITS = (
    *(f"cuda{what}Synchronize" for what in ("Device", "Stream", "Event", "Thread")),
    *(f"cu{what}Synchronize" for what in ("Ctx", "Stream", "Event")),
    *(
        "cudaStreamSynchronize_ptsz",
        "cuStreamSynchronize_ptsz",
        "cuCtxSynchronize_v2",
        "cudaEventSynchronize_v3020",
    ),
    *(f"hip{what}Synchronize" for what in ("Device", "Stream", "Event", "Ctx")),
    *("cudaMemcpy", "hipMemcpy", "urQueueFinish", "urEventWait"),
    *(
        f"ze{what}{host}Synchronize"
        for what in ("CommandQueue", "Fence", "Event", "CommandList")
        for host in ("", "Host")
    ),
)
NO_EXPLICIT_WAITS = (
    *("cudaMemcpyAsync", "cudaStreamWaitEvent", "cudaEventQuery", "cudaMemcpy2D", "hipMemcpyWithStream"),
    *(
        "cudaDeviceSynchronizeX",
        "xcudaDeviceSynchronize",
        "hipThreadSynchronize",
        "Synchronize",
        "cudaMemcpyToSymbol",
    ),
)
DEVICE_WIDE = (
    *("cudaDeviceSynchronize", "cudaThreadSynchronize", "cuCtxSynchronize", "cuCtxSynchronize_v2"),
    *("hipDeviceSynchronize", "hipCtxSynchronize"),
)
NOT_DEVICE_WIDE = (
    "cudaStreamSynchronize",
    "cudaEventSynchronize",
    "cuStreamSynchronize",
    "hipStreamSynchronize",
)
ALLOCATOR = (
    *(
        f"{vendor}{verb}{what}"
        for vendor in ("cuda", "hip")
        for verb in ("Malloc", "Free")
        for what in ("", "Host", "Managed", "Pitch", "Array", "3D", "3DArray")
    ),
    *("cudaHostAlloc", "hipHostMalloc", "hipHostFree", "hipHostAlloc"),
    *(f"{vendor}Host{verb}" for vendor in ("cuda", "hip") for verb in ("Register", "Unregister")),
    *(
        f"cuMem{what}"
        for what in ("Alloc", "Free", "AllocHost", "FreeHost", "HostAlloc", "AllocManaged", "AllocPitch")
    ),
    *(
        f"cuMem{what}"
        for what in ("Create", "Release", "Map", "Unmap", "SetAccess", "AddressReserve", "AddressFree")
    ),
    *("cuMemAlloc_v2", "cuMemFree_v2"),
)
NOT_ALLOCATOR = (
    "cudaMallocAsync",
    "cudaFreeAsync",
    "cuMemcpyHtoD_v2",
    "cudaMemset",
    "cuMemAllocAsync",
    "cudaMallocX",
)
KERNEL_LAUNCHES = (
    *("cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernelEx", "hipExtModuleLaunchKernel"),
    *("cudaLaunchCooperativeKernel", "hipLaunchCooperativeKernel", "cudaGraphLaunch", "hipGraphLaunch"),
    "urEnqueueKernelLaunch",
)
COMMUNICATION = (
    *("ncclDevKernel_AllReduce_Sum_bf16", "NCCLKernel", "rcclGeneric", "mscclpp_allreduce", "nvshmem_put"),
    *(
        "rocshmem_wait",
        "vllm::cross_device_reduce_1stage",
        "multimem_all_reduce_",
        "two_shot_all_reduce_kernel",
    ),
    "one_shot_all_reduce",
)
COMPILE = (
    *("compile_inner (dynamo_timed)", "entire_frame_compile", "inductor_compile_x", "_compile.compile_inner"),
    *("compile_fx_inner (dynamo_timed)", "compile_fx.<locals>", "## compile_id=0/0 ##"),
)

CASES: tuple[tuple[Callable[[str], bool], tuple[str, ...], tuple[str, ...]], ...] = (
    (v.is_explicit_wait, EXPLICIT_WAITS, NO_EXPLICIT_WAITS),
    (v.is_explicit_runtime_wait, ("synchronize", "synchronizeStream"), ("synchronizeEvent", "resynchronize")),
    (v.is_device_wide_wait, DEVICE_WIDE, NOT_DEVICE_WIDE),
    (v.is_allocator, ALLOCATOR, NOT_ALLOCATOR),
    (
        v.is_loading_call,
        ("cuModuleLoadData", "cuLibraryLoadData", "hipModuleLoad", "cuModuleUnload", "cuLibraryUnload"),
        ("cuModuleGetFunction", "cuLibraryGetKernel"),
    ),
    (
        v.is_memcpy_async,
        (
            "cudaMemcpyAsync",
            "hipMemcpyAsync",
            "cuMemcpyHtoDAsync_v2",
            "cudaMemcpy2DAsync",
            "cudaMemcpyAsync_ptsz",
        ),
        ("cudaMemcpy", "cudaMemsetAsync", "hipMemcpyWithStream"),
    ),
    (v.is_memcpy_with_wait, ("hipMemcpyWithStream",), ("hipMemcpy",)),
    (v.is_pageable_copy, ("Memcpy DtoH (Device -> Pageable)",), ("Memcpy HtoD (Pinned -> Device)",)),
    (v.is_kernel_launch, KERNEL_LAUNCHES, ("cudaMemcpyAsync", "cudaLaunchHostFunc", "cudaGraphInstantiate")),
    (
        v.is_data_loader,
        (
            "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
            "torch/utils/data/dataloader.py(628): __next__",
        ),
        (
            "enumerate(DataLoader)",
            "torch/utils/data/dataloader.py(628): _next_data",
            "my enumerate(DataLoader)#x",
        ),
    ),
    (v.is_communication, COMMUNICATION, ("gemm", "all_reduce", "reduce_kernel")),
    (
        v.is_compile,
        COMPILE,
        ("torch/_dynamo/convert_frame.py(1): _compile", "my compile_fx", "TorchDynamo Cache Lookup"),
    ),
    (
        v.is_before_compiled_code,
        ("TorchDynamo Cache Lookup", "Pregraph bytecode", "AOTDispatcher Runtime Wrapper Prologue"),
        ("TorchDynamo Cache Lookup 2", "CompiledFunction"),
    ),
    (
        v.is_prologue,
        ("Pregraph bytecode", "AOTDispatcher Runtime Wrapper Prologue"),
        ("TorchDynamo Cache Lookup", "Pregraph bytecode 2"),
    ),
    (
        v.is_compiled_code,
        (
            "Torch-Compiled Region: 0/0",
            "CompiledFunction",
            "CompiledFunctionBackward",
            "autograd::engine::evaluate_function: CompiledFunctionBackward",
            "## Call CompiledFxGraph fabc ##",
        ),
        (
            "TorchDynamo Cache Lookup",
            "autograd::engine::evaluate_function: AddmmBackward0",
            "CompiledFunction2",
        ),
    ),
    (
        v.is_node_of_compiled_code,
        ("autograd::engine::evaluate_function: CompiledFunctionBackward",),
        ("CompiledFunctionBackward", "autograd::engine::evaluate_function: AddmmBackward0"),
    ),
    (
        v.is_compiled_path,
        (
            "TorchDynamo Cache Lookup",
            "Pregraph bytecode",
            "Torch-Compiled Region",
            "Torch-Compiled Region: 0/0",
            "CompiledFunction",
            "CompiledFunctionBackward",
            "## Call CompiledFxGraph fabc ##",
        ),
        (
            "autograd::engine::evaluate_function: CompiledFunctionBackward",
            "CompiledFunctionBackward0",
            "## Call",
        ),
    ),
    (
        v.is_compiled_region,
        ("Torch-Compiled Region", "Torch-Compiled Region: 12/3"),
        ("A Torch-Compiled Region", "TorchDynamo Cache Lookup"),
    ),
    (v.is_compiled_graph, ("## Call CompiledFxGraph fabc ##",), ("CompiledFxGraph", "CompiledFunction")),
    (v.is_cache_lookup, ("TorchDynamo Cache Lookup",), ("Pregraph bytecode",)),
    (
        v.is_optimizer,
        ("Optimizer.step#AdamW.step",),
        ("Optimizer.zero_grad#AdamW.zero_grad", "Optimizer.step"),
    ),
    (
        v.is_profiler_stop,
        (
            "torch/profiler/profiler.py(213): stop_trace",
            "torch/autograd/profiler.py(354): __exit__",
            "torch/profiler/profiler.py(717): __exit__",
        ),
        ("torch/profiler/profiler.py(213): start_trace", "contextlib.py(141): __exit__"),
    ),
)


@pytest.mark.parametrize(("predicate", "yes", "no"), CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_a_predicate_knows_its_names_and_no_others(
    predicate: Callable[[str], bool], yes: tuple[str, ...], no: tuple[str, ...]
) -> None:
    assert [name for name in yes if not predicate(name)] == []
    assert [name for name in no if predicate(name)] == []


def test_every_device_wide_wait_is_an_explicit_wait() -> None:
    assert [name for name in DEVICE_WIDE if not v.is_explicit_wait(name)] == []


def test_the_overheads_of_profiler_loading_and_full_queue_are_apart() -> None:
    expected = {"Activity Buffer Request", "Buffer Flush", "Instrumentation", "Resource"}
    assert expected == v.PROFILER_OVERHEAD
    assert {
        "Runtime Triggered Module Loading",
        "Lazy Function Loading",
        "Driver Compiler",
    } == v.LOADING_OVERHEAD
    assert v.FULL_QUEUE_OVERHEAD == "Command Buffer Full"


@pytest.mark.parametrize(
    ("name", "number"),
    [("ProfilerStep#0", 0), ("ProfilerStep#552", 552), ("ProfilerStep#", None), ("ProfilerStep#1 ", None)],
)
def test_the_number_of_a_step(name: str, number: int | None) -> None:
    assert v.step_number(name) == number


def test_generated_kernels_differ_in_digits_only() -> None:
    assert v.without_digits("triton_poi_fused_add_12") == v.without_digits("triton_poi_fused_add_7")


@pytest.mark.parametrize(
    "name", ["ProfilerStep#", "ProfilerStep#x", "ProfilerStep#" + "1" * 5000, "ProfilerStep#²"]
)
def test_what_has_no_ordinary_number_is_no_step(name: str) -> None:
    assert v.step_number(name) is None


def test_calls_that_launch_graphs_or_make_a_stream_wait() -> None:
    assert v.is_graph_launch("cudaGraphLaunch")
    assert not v.is_graph_launch("cudaLaunchKernel")
    for name in ("cudaStreamWaitEvent", "hipStreamWaitEvent", "cuStreamWaitEvent"):
        assert v.is_stream_wait(name)
    assert not v.is_stream_wait("cudaEventSynchronize")


def test_the_memory_that_copies_come_from() -> None:
    assert v.is_pinned_copy("Memcpy HtoD (Pinned -> Device)")
    assert not v.is_pinned_copy("Memcpy HtoD (Host -> Device)")


def test_allocations_of_gpu_memory_are_told_from_those_of_the_host() -> None:
    for name in ("cudaMalloc", "cudaFree", "hipMalloc", "cuMemCreate", "cudaMallocManaged"):
        assert v.is_device_allocator(name)
    for name in ("cudaHostAlloc", "cudaFreeHost", "hipHostMalloc", "cudaHostRegister", "cuMemHostAlloc"):
        assert not v.is_device_allocator(name)


@pytest.mark.parametrize(
    ("name", "region"),
    [
        ("Torch-Compiled Region: 0/0", "0/0"),
        ("Torch-Compiled Region: 12/3", "12/3"),
        ("Torch-Compiled Region: !0/1/0", "!0/1/0"),
        ("Torch-Compiled Region", None),
        ("CompiledFunction", None),
    ],
)
def test_the_id_of_a_compiled_region(name: str, region: str | None) -> None:
    assert v.region_id(name) == region


@pytest.mark.parametrize(
    ("name", "phase"),
    [
        ("Scheduler.codegen (dynamo_timed)", "Scheduler.codegen"),
        ("inductor_compile", "inductor_compile"),
        ("entire_frame_compile_data: fn_name=_compile.compile_inner, compile_id=0/1", "entire_frame_compile"),
    ],
)
def test_the_events_of_one_phase_have_one_name(name: str, phase: str) -> None:
    assert v.is_compile(name)
    assert v.compile_phase(name) == phase


@pytest.mark.parametrize(
    ("frame", "place"),
    [
        ("net.py(12): torch_dynamo_resume_in_forward_at_12", "net.py(12): forward"),
        ("a/net.py(3): torch_dynamo_resume_in_look_at_it_at_40", "a/net.py(40): look_at_it"),
        ("net.py(12): forward", None),
        ("torch_dynamo_resume_in_forward_at_12", None),
    ],
)
def test_the_frame_after_a_graph_break_tells_where_it_was(frame: str, place: str | None) -> None:
    assert v.resumed_at(frame) == place
