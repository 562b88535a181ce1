"""The words of each warning; what they mean stands in docs/definitions.md, Warnings."""

from __future__ import annotations

from collections.abc import Mapping

from tb_plugin_explain import wording
from tb_plugin_explain.report_schema import Warning
from tb_plugin_explain.trace.model import ReadProblem

_RECORD_AGAIN = "Record again if a figure matters to you."
_ONE_FILE_A_PROCESS = "Keep the traces of several processes in separate files."

# Message and advice. A message names its number after a colon or a verb without person, so that
# one and many read alike; {n} is the count, {events}, {kernels} … the count with its noun.
WORDS: Mapping[str, tuple[str, str]] = {
    "json_repaired": (
        "Bad JSON was mended, only where the mend is certain, in {events}.",
        "Nothing to do: no figure was guessed.",
    ),
    "control_chars_in_name": (
        "Raw control characters were found in {names}.",
        "Nothing to do: they are shown as they are.",
    ),
    "invalid_utf8": (
        "Bytes that are no UTF-8 were found in {names}; they show as �.",
        "Nothing to do: no figure depends on the spelling of a name.",
    ),
    "string_timestamps": (
        "Times are written as text in {events}.",
        "Nothing to do: they were read as numbers.",
    ),
    "top_level_array": (
        "The file is a bare list of events, as older exports write it.",
        "Nothing to do, but such a file does not say on which device it was recorded, or how.",
    ),
    "malformed_events_skipped": (
        "What is no event was left out: {entries}.",
        "Nothing to do, unless another program wrote this file.",
    ),
    "truncated": (
        "The file ends too early, before its closing bracket: it stops at byte {byte:,}.",
        "If it is still being written, wait: it is read again. Otherwise copy it again, or record again.",
    ),
    "no_events": (
        "The file holds no events.",
        "Check that the profiled code ran between start and stop of the profiler.",
    ),
    "no_profiler_step": (
        "The recording has no steps, so it is explained as one piece.",
        "Pass schedule= to profile() and call prof.step() after each iteration.",
    ),
    "no_gpu_events": (
        "No GPU event was recorded.",
        "Pass activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA] to profile().",
    ),
    "duplicate_step": (
        "Left out, because a longer step of the same number runs at the same time: {annotations}.",
        "Call prof.step() from one thread only.",
    ),
    "overlapping_steps": (
        "Begun before the step before had ended: {steps}.",
        "Call prof.step() from one place; each event counts in the step that began last.",
    ),
    "zero_length_step": (
        "Without length, and so without shares: {steps}.",
        "Call prof.step() once an iteration.",
    ),
    "zero_timestamp_events": (
        "The profiler lost the times of {events}, {gpu_events:,} of them on the GPU; they are left out.",
        _RECORD_AGAIN,
    ),
    "negative_duration": (
        "A negative length stands in {events}. On the GPU they are left out, on the CPU they count as 0.",
        _RECORD_AGAIN,
    ),
    "clock_skew": (
        "Begun before their launch, as the clocks disagree by {early} or more: {gpu_count}.",
        "Do not read distances between CPU and GPU lanes more finely than that.",
    ),
    "missing_launch": (
        "Without a launch in the file, and so in no step: {n:,} of {of:,} GPU events, {time} of work.",
        "Nothing to do where it was queued before recording began. Else record again; keep the whole file.",
    ),
    "missing_kernel": (
        "Without a GPU event in the file: {n:,} of {of:,} kernel launches in steps.",
        "GPU figures of these steps are too small, or missing. Record fewer steps at a time.",
    ),
    "ambiguous_correlation": (
        "Linked to no launch, because several have their number: {gpu_count}.",
        _ONE_FILE_A_PROCESS,
    ),
    "several_processes": ("The file holds {processes}.", _ONE_FILE_A_PROCESS),
    "same_stream_overlap": (
        "Longer than until the next one on the same stream: {kernels}. Cut there, the GPU was busy {busy}.",
        "Do not trust the lengths of these kernels: late time stamps make them too long.",
    ),
    "kernel_ends_after_device_sync": (
        "Ended after a wait for the whole device had returned: {kernels}.",
        "Do not trust the lengths of these kernels.",
    ),
    "unknown_vendor_sync_names": (
        "Calls such as {example} are of a platform whose waits are not recorded, or not known here.",
        "A waiting time of 0 means “not known” in this trace.",
    ),
    "thinned": (
        "Operators are numbered one by one, and {n:,} of {of:,} numbers are not in the file: most "
        "events were taken out after recording.",
        "Explain the whole file. What stood in the gaps of this one is not known.",
    ),
    "missing_rank": (
        "The job had {world_size:,} ranks; without a file here: {n:,}.",
        "Keep the files of all ranks in one run directory.",
    ),
}

_NOUNS = ("event", "name", "annotation", "step", "kernel")
_TIMES = (("min_latency_us", "early"), ("time_us", "time"), ("busy_clipped_us", "busy"))


def _fields(problem: ReadProblem) -> Mapping[str, object]:
    """What a message may name: the count with each noun, and the problem's data."""
    fields: dict[str, object] = dict(problem.data)
    fields |= {f"{noun}s": wording.count(problem.count, noun) for noun in _NOUNS}
    fields["entries"] = wording.count(problem.count, "entry", "entries")
    fields["processes"] = wording.count(problem.count, "process", "processes")
    fields["gpu_count"] = wording.count(problem.count, "GPU event")
    fields["n"] = problem.count
    for field, name in _TIMES:
        if field in problem.data:
            fields[name] = wording.time(abs(float(problem.data[field])))
    return fields


def warning(problem: ReadProblem) -> Warning:
    """One problem in words."""
    message, advice = WORDS[problem.kind]
    return Warning(
        problem.kind, problem.count, message.format(**_fields(problem)), advice, dict(problem.data)
    )
