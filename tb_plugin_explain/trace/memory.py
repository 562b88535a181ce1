"""How much memory a process may take, and which traces would need more.

The limit is the kernel’s own of the process (``RLIMIT_DATA``): what an estimate overlooks becomes a
``MemoryError`` here, before the machine runs out of memory and ends somebody else’s process. Where there
is no such limit, on Windows, nothing is refused; on macOS the estimate alone counts.
"""

from __future__ import annotations

import ctypes
import gc
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

# What its threads reserve has to be there before a limit is reckoned.
import numpy  # noqa: F401

from tb_plugin_explain.errors import TraceError, UsageError
from tb_plugin_explain.trace.decompress import TextStream

if sys.platform != "win32":
    import resource

# What a report and its timeline take at their peak, fitted to real traces of 5 MB to 2 GB and made ones: for
# code, tables and threads; for each entry that becomes an event, where ``B`` and ``E`` wait for each other as
# objects; less for a Python frame and more for a kernel; and a little for names, which stay.
BYTES_OF_ANY = 22 * 10**6
_BYTES_PER_PHASE = {b"X": 320, b"i": 320, b"I": 320, b"B": 800, b"E": 800}
_MORE_BYTES_PER_MARK = {b'"python_function"': -145, b'"kernel"': 250}
_BYTES_PER_TEXT_BYTE = 0.05
LEAST_LIMIT_BYTES = 128 * 10**6
_SHARE_OF_AVAILABLE = 0.75
# Several times what a thread reserves for its stack.
_THREAD_BYTES = 64 * 10**6
# Were its text as dense as no profiler writes it, 64 bytes an event: most files are let in by that alone.
_MOST_BYTES_PER_TEXT_BYTE = 5
_ROUGH_FACTOR = 4
_SAMPLE_BYTES = 1 << 22
_PHASE = re.compile(rb'"ph"\s*:\s*"(.)')
# A beginning tells what the whole needs within this factor, were all entries events; else all is counted.
_SAFE_FACTOR = 2
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY_UNITS = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?(|[kmgt]i?)b?", re.IGNORECASE)
_MALLOC_FIELDS = (
    "arena",
    "ordblks",
    "smblks",
    "hblks",
    "hblkhd",
    "usmblks",
    "fsmblks",
    "uordblks",
    "fordblks",
    "keepcost",
)
_NO_CGROUP_LIMIT_BYTES = 2**60
_WAY_OUT = (
    "Cut out one step and open that: tb-explain slice FILE --step N -o step.json.gz. Or allow more:"
    " tensorboard --explain_max_memory SIZE, tb-explain report --max-memory SIZE."
)


def parse_size(text: str) -> int:
    """Bytes of a size such as ``2GB``, ``1.5GiB`` or ``800M``.

    Raises:
        UsageError: it is no size, or too small to explain anything in.
    """
    found = _SIZE.fullmatch(text.strip())
    if not found:
        raise UsageError(f"{text} is no amount of memory: write it as 800M, 2GB or 1.5GiB.")
    size = int(float(found[1]) * (_UNITS | _BINARY_UNITS)[found[2].lower()])
    if size < LEAST_LIMIT_BYTES:
        raise UsageError(f"{text} of memory is too little to explain any trace in: give 128MB or more.")
    return size


@contextmanager
def limited_memory(max_bytes: int | None, processes: int = 1) -> Iterator[None]:
    """Bounds how much memory this process takes meanwhile.

    max_bytes: None allows it, of three quarters of the memory that is available now, the part of one of
        so many ``processes``.
    """
    if sys.platform == "win32":
        yield
        return
    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = _limit_bytes(max_bytes, processes)
    allowed = [limit for limit in (limit, before, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(allowed, default=before), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))


def _limit_bytes(max_bytes: int | None, processes: int) -> int:
    """The kernel’s limit of this process, which also counts what stacks reserve and never use."""
    held = own_bytes()
    if max_bytes is None:
        available = available_bytes()
        if available is None:
            return resource.RLIM_INFINITY
        max_bytes = max(held + int(_SHARE_OF_AVAILABLE * available / processes), LEAST_LIMIT_BYTES)
    return max_bytes + max(0, _own_status().get("VmData", 0) - held)


def refuse_too_large(path: str) -> None:
    """Refuses a file that this process may not have the memory for; reads no more of it than it has to.

    Raises:
        TraceError: ``too_large``; or the file cannot be read.
    """
    try:
        _refuse_above(path, _memory_left_bytes())
    except TraceError:
        # Of the last trace much may lie about that is not in use.
        gc.collect()
        _refuse_above(path, _memory_left_bytes())


def _refuse_above(path: str, left: int | None) -> None:
    if left is None:
        return
    text_bytes = entries = 0
    counted = 0.0
    with TextStream(path) as stream:
        while piece := stream.read():
            if _surely_fits(text_bytes + len(piece), stream.share_given, left):
                return
            phases = b"".join(_PHASE.findall(piece))
            text_bytes += len(piece)
            entries += len(phases)
            counted += _needed_for(piece, phases)
            # How much of the file that was. Gzip says no size that could be relied on.
            share = max(stream.share_read, 1e-9)
            if BYTES_OF_ANY + counted > left:
                raise _too_large(path, text_bytes / share, BYTES_OF_ANY + counted / share, left)
            at_most = max(counted, entries * _BYTES_PER_PHASE[b"X"]) / share
            if text_bytes >= _SAMPLE_BYTES and _SAFE_FACTOR * (BYTES_OF_ANY + at_most) < left:
                return


def _surely_fits(text_bytes: int, share_given: float, left: int) -> bool:
    most = BYTES_OF_ANY + _MOST_BYTES_PER_TEXT_BYTE * text_bytes / max(share_given, 1e-9)
    return _ROUGH_FACTOR * most < left


def _needed_for(piece: bytes, phases: bytes) -> float:
    """What some text needs; ``phases``: one byte for each of its entries."""
    entries = sum(phases.count(phase) * size for phase, size in _BYTES_PER_PHASE.items())
    more = sum(piece.count(mark) * size for mark, size in _MORE_BYTES_PER_MARK.items())
    return max(entries + more, 0) + _BYTES_PER_TEXT_BYTE * len(piece)


def room_for_a_thread() -> bool:
    """Whether a thread can be started: one that dies for want of memory on its way is awaited for ever."""
    left = _memory_left_bytes()
    return left is None or left >= _THREAD_BYTES


def _too_large(path: str, text_bytes: float, needed_bytes: float, left_bytes: int) -> TraceError:
    return TraceError(
        "too_large",
        f"{path}: {_told(text_bytes)} of trace would take about {_told(needed_bytes)} of memory, and"
        f" {_told(left_bytes)} may be used. {_WAY_OUT}",
        file=path,
    )


def own_bytes() -> int:
    """What this process holds in memory, without what is mapped from files; 0 where that is not known."""
    return _own_status().get("RssAnon", 0)


def available_bytes() -> int | None:
    """What processes may still take: of the machine, and of the control groups of this process."""
    amounts = [*_available_on_machine(), *_available_in_groups()]
    return max(0, min(amounts)) if amounts else None


def _memory_left_bytes() -> int | None:
    """What this process may take on top of what it has; None: no limit was set."""
    if sys.platform == "win32":
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_DATA)
    if soft == resource.RLIM_INFINITY:
        return None
    return max(0, soft - _own_status().get("VmData", 0) + _freed_bytes())


class _MallocInfo(ctypes.Structure):
    """``struct mallinfo2`` of GNU’s C library."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in _MALLOC_FIELDS)


def _freed_bytes() -> int:
    """What this process holds of the system and does not use, as far as its C library tells."""
    if sys.platform != "linux":
        return 0
    try:
        told = ctypes.CDLL(None).mallinfo2
    except (OSError, AttributeError):
        return 0
    told.restype = _MallocInfo
    return int(told().fordblks)


def _own_status() -> Mapping[str, int]:
    """Bytes by name, as Linux counts them; empty elsewhere."""
    return _sizes_of("/proc/self/status")


def _sizes_of(path: str) -> Mapping[str, int]:
    try:
        lines = Path(path).read_text().splitlines()
    except OSError:
        return {}
    found = (re.fullmatch(r"(\w+):\s*(\d+) kB", line) for line in lines)
    return {match[1]: int(match[2]) * 1024 for match in found if match}


def _available_on_machine() -> Iterator[int]:
    sizes = _sizes_of("/proc/meminfo")
    if "MemAvailable" in sizes:
        yield sizes["MemAvailable"]
    elif hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _available_in_groups() -> Iterator[int]:
    """Of every memory control group that holds this process, versions 1 and 2: limit less what is in use."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if not controllers:
            root, names = Path("/sys/fs/cgroup"), ("memory.max", "memory.current")
        elif "memory" in controllers.split(","):
            root, names = Path("/sys/fs/cgroup/memory"), ("memory.limit_in_bytes", "memory.usage_in_bytes")
        else:
            continue
        inside = PurePosixPath(group.lstrip("/"))
        for directory in (inside, *inside.parents):
            yield from _available_in_group(root / directory, *names)


def _available_in_group(directory: Path, limit_name: str, usage_name: str) -> Iterator[int]:
    """Pages of files that nobody used for long count as in use there, and would be given up first."""
    try:
        limit = int((directory / limit_name).read_text())
        usage = int((directory / usage_name).read_text())
        found = re.search(r"^(?:total_)?inactive_file (\d+)$", (directory / "memory.stat").read_text(), re.M)
    except (OSError, ValueError):
        return
    if limit < _NO_CGROUP_LIMIT_BYTES:
        yield limit - usage + (int(found[1]) if found else 0)


def _told(size: float) -> str:
    return f"{size / 1e9:.2f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
