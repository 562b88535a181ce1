"""What a trace can tell, what it cannot, and how to record it better next time."""

from __future__ import annotations

from collections.abc import Iterator

from tb_plugin_explain import wording
from tb_plugin_explain.report_schema import Can, Cannot, Trust
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace import vocabulary
from tb_plugin_explain.trace.model import Category

_SYNC_EVENTS = "enable_cuda_sync_events=True"
_STEPS = "schedule=schedule(...), prof.step()"


def _can(run: RunAnalyses) -> Iterator[Can]:
    gpu = run.recording.gpu
    linked, total = int(gpu.linked.sum()), len(gpu)
    if linked:
        yield Can(
            "Launch → kernel links",
            f"Of {wording.count(total, 'GPU event')}, {linked:,} are linked to a launch.",
        )
        if run.problem("clock_skew") is None and run.problem("kernel_ends_after_device_sync") is None:
            yield Can("No clock skew seen", "No kernel starts before its launch.")
    if run.closing_wait is not None:
        yield Can("Closing wait found", "It is taken out of all figures.")
    settled = sum(s.settled is True for s in run.settled)
    if settled:
        yield Can("Settled steps", f"{settled} of {wording.count(len(run.steps), 'step')} look alike.")
    if run.trace.meta.with_stack:
        yield Can("Python lines", "Stacks were recorded.")
    if run.trace.meta.record_shapes:
        yield Can("Tensor shapes", "The shapes of operators’ inputs were recorded.")


def _cannot(run: RunAnalyses) -> Iterator[Cannot]:
    meta, trace, recording = run.trace.meta, run.trace, run.recording
    if run.steps and run.steps[0].step.number is None:
        yield Cannot(
            "Steps",
            "No step was marked, so nothing can be called typical.",
            _STEPS,
        )
    if run.problem("no_gpu_events") is not None:
        yield Cannot("The GPU’s work", "No GPU event was recorded.", "ProfilerActivity.CUDA")
    if not meta.with_stack:
        yield Cannot("Python lines", "No source line can be named.", "with_stack=True")
    if not meta.record_shapes:
        yield Cannot(
            "Tensor shapes", "Whether a kernel is slow for its size cannot be told.", "record_shapes=True"
        )
    waits_on_gpu = trace.names_where(vocabulary.is_stream_wait) & recording.kinds.call
    if waits_on_gpu.any() and not trace.is_category(Category.SYNC_ROW).any():
        text = (
            f"{wording.count(int(waits_on_gpu.sum()), 'call')} made one stream wait for another; how "
            "long is not recorded."
        )
        yield Cannot("Waits between streams", text, _SYNC_EVENTS)
    graphs = trace.names_where(vocabulary.is_graph_launch) & recording.kinds.call
    if recording.gpu.linked.any() and graphs.any():
        yield Cannot(
            "Operators inside graphs",
            "Kernels of a graph carry no operator; they are known by name only.",
            None,
        )
    if meta.world_size is not None and meta.world_size > 1:
        text = f"This is one rank of {meta.world_size:,}; late peers show only in the files of all ranks."
        yield Cannot("Other ranks", text, None)


def _snippet(run: RunAnalyses, lacking: list[Cannot]) -> str | None:
    """The call that records what is lacking, None where nothing would help."""
    wanted = {c.record for c in lacking if c.record is not None}
    if not wanted:
        return None
    # Short lines: the snippet stands in a narrow column.
    lines = ["with profile("]
    if "ProfilerActivity.CUDA" in wanted:
        lines += ["  activities=[", "    ProfilerActivity.CPU,", "    ProfilerActivity.CUDA],"]
    lines += ["  schedule=schedule(", "    wait=1, warmup=2, active=5),"]
    lines += ["  on_trace_ready=", '    tensorboard_trace_handler("runs"),']
    meta = run.trace.meta
    # What this recording had stays: without it the next one would tell less.
    options = {
        "record_shapes=True": meta.record_shapes,
        "with_stack=True": meta.with_stack,
        "profile_memory=True": meta.profile_memory,
    }
    lines += [f"  {option}," for option, had in options.items() if had or option in wanted]
    if _SYNC_EVENTS in wanted:
        lines += ["  experimental_config=", "    _ExperimentalConfig(", f"      {_SYNC_EVENTS}),"]
        lines.insert(0, "from torch._C._profiler import (\n  _ExperimentalConfig)")
    lines.append(") as prof:")
    if _STEPS in wanted:
        lines += ["  for batch in loader:", "    train(batch)", "    prof.step()"]
    return "\n".join(lines)


def assess_trust(run: RunAnalyses) -> Trust:
    """What the reader may rely on."""
    lacking = list(_cannot(run))
    return Trust(list(_can(run)), lacking, _snippet(run, lacking))
