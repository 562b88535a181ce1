"""What else differs between two runs: device, ranks, precision, batch, compile, profiler modes, …

Of these, two that both move the figures make a difference that cannot be laid to either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tb_plugin_explain import wording
from tb_plugin_explain.comparison.input_shapes import find_shape_change, is_other_input
from tb_plugin_explain.comparison.pair import Pair, Side
from tb_plugin_explain.comparison_schema import Change
from tb_plugin_explain.glossary import facts
from tb_plugin_explain.trace.grouping import distinct
from tb_plugin_explain.trace.model import Category

# These move the figures of the run itself; modes and versions are told beside them.
MOVERS = frozenset({"device", "ranks", "precision", "batch", "compile"})
_MATMUL = "matrix multiply"
# cuDNN convolves real numbers by Fourier transforms too, which multiply complex matrices.
_COMPLEX = "complex"
_MODES = {"with_stack": "stacks", "record_shapes": "shapes", "profile_memory": "memory"}


def _device(side: Side) -> str | None:
    """The names of the devices that worked, each once; of all where events number them otherwise."""
    used = set(side.run.recording.gpu.devices)
    devices = [d for d in side.run.trace.meta.devices or () if d.name]
    working = [d for d in devices if d.id in used] or devices
    return wording.listing(sorted({d.name for d in working})) or None


def _ranks(side: Side) -> str | None:
    world = side.run.trace.meta.world_size
    return None if world is None else wording.count(world, "rank")


def _rank(side: Side) -> str | None:
    rank = side.run.trace.meta.rank
    return None if rank is None else str(rank)


def _precision(side: Side) -> str | None:
    """The data type in which most time of the matrix multiplications ran; None without one that tells."""
    trace, gpu = side.run.trace, side.run.recording.gpu
    work = np.isin(side.run.recording.step_of_gpu, side.run.averaged) & gpu.is_kernel
    times: dict[str, int] = {}
    for name in distinct(gpu.name[work]).tolist():
        told = facts(trace.names[name], Category.KERNEL)
        if told.operation is None or _MATMUL not in told.operation or not told.dtype:
            continue
        if not told.dtype.startswith(_COMPLEX):
            mine = work & (gpu.name == name)
            spent = int((gpu.end_ns[mine] - gpu.start_ns[mine]).sum())
            times[told.dtype] = times.get(told.dtype, 0) + spent
    return max(times, key=lambda dtype: (times[dtype], dtype)) if times else None


def _compile(side: Side) -> str:
    return "compiled" if side.compiled else "eager"


def _graphs(side: Side) -> str:
    return "graph launches" if side.launches_graphs else "none"


def _modes(side: Side) -> str:
    """Which costly modes of the profiler were on."""
    modes = side.run.profiler_modes
    return wording.listing([word for mode, word in _MODES.items() if modes[mode]]) or "none"


def _versions(side: Side) -> str | None:
    versions = side.run.trace.meta.versions
    return ", ".join(f"{name} {versions[name]}" for name in sorted(versions)) or None


_ASKED: Sequence[tuple[str, Callable[[Side], str | None]]] = (
    ("device", _device),
    ("ranks", _ranks),
    ("rank", _rank),
    ("precision", _precision),
    ("compile", _compile),
    ("graphs", _graphs),
    ("modes", _modes),
    ("versions", _versions),
)


def _batch(pair: Pair) -> Change | None:
    change = find_shape_change(pair.baseline, pair.candidate)
    if change is None or not is_other_input(change):
        return None
    size = "other sizes" if change.factor is None else f"{wording.significant(change.factor)} times as large"
    return Change("batch", "input shapes as recorded", size)


def find_changes(pair: Pair) -> Sequence[Change]:
    """What differs. What one side does not tell is no difference, except of the modes."""
    found = []
    for what, ask in _ASKED:
        old, new = (ask(side) for side in pair.sides)
        if old is not None and new is not None and old != new:
            found.append(Change(what, old, new))
    batch = _batch(pair)
    return [*found, batch] if batch else found


def is_confounded(changes: Sequence[Change]) -> bool:
    """Whether more than one thing changed that moves the figures."""
    return sum(change.what in MOVERS for change in changes) > 1
