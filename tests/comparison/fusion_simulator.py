"""Pairs of typical steps of which it is known what the compiler did with each event.

A model is drawn as blocks of operators with heavy ones among them. The eager step runs each operator
as kernels of its own; the compiled step keeps, replaces or merges the heavy ones and puts the others
into generated kernels, cut where the compiler might, some operators swapped between neighbours, the
order of neighbours exchanged, copies added, dead work removed. Nothing here knows how matching works.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from tb_plugin_explain.analyses.origins import Phase
from tb_plugin_explain.comparison.generated import take_apart
from tb_plugin_explain.comparison.unit import Unit
from tb_plugin_explain.trace.model import Category

# Chains of operators, innermost first, each with the name that the compiler’s graph has for it.
_FORWARD = {
    "add": ("add",), "mul": ("mul",), "sub": ("sub",), "div": ("div",), "gelu": ("gelu",),
    "relu": ("clamp_min", "relu"), "silu": ("silu",), "tanh": ("tanh",), "sigmoid": ("sigmoid",),
    "native_layer_norm": ("native_layer_norm", "layer_norm"), "_softmax": ("_softmax", "softmax"),
    "native_dropout": ("native_dropout", "dropout"), "_to_copy": ("copy", "_to_copy", "to"),
    "clone": ("copy", "clone", "contiguous"), "mean": ("mean",), "pow": ("pow",), "rsqrt": ("rsqrt",),
    "cat": ("cat",), "where": ("where",), "embedding": ("index_select", "embedding"),
    "_native_batch_norm_legit_functional": ("cudnn_batch_norm", "_batch_norm_impl_index", "batch_norm"),
}  # fmt: skip
_BACKWARD = {
    "add": ("add",), "mul": ("mul",), "sum": ("sum",), "div": ("div",), "neg": ("neg",),
    "gelu_backward": ("gelu_backward",), "threshold_backward": ("threshold_backward",),
    "native_layer_norm_backward": ("native_layer_norm_backward",), "silu_backward": ("silu_backward",),
    "native_dropout_backward": ("native_dropout_backward",), "_to_copy": ("copy", "_to_copy", "to"),
    "_softmax_backward_data": ("_softmax_backward_data",), "clone": ("copy", "clone", "contiguous"),
    "select_backward": ("zero", "new_zeros", "select_backward"), "pow": ("pow",),
}  # fmt: skip
_HEAVY = {
    "forward": (("mm", "matmul"), ("addmm", "linear"), ("bmm", "matmul"), ("convolution", "conv2d"),
                ("_flash_attention_forward", "scaled_dot_product_attention")),
    "backward": (("mm",), ("bmm",), ("convolution_backward",), ("_flash_attention_backward",)),
}  # fmt: skip
_OPERATIONS = {"mm": "matrix multiply", "addmm": "matrix multiply", "bmm": "matrix multiply"}
_VIEWS = ("view", "permute", "transpose", "unsqueeze", "_unsafe_view", "slice")


@dataclass
class Event:
    """An event to be: what it is, and the group that it belongs to in truth."""

    name: str
    ops: tuple[str, ...]
    time_ns: int
    phase: Phase
    truth: str = ""
    kind: Category = Category.KERNEL
    operation: str | None = None
    number: int = -1


@dataclass
class SimulatedPair:
    """Both steps, and for each unit the group that is right for it."""

    eager: list[Unit]
    compiled: list[Unit]
    eager_truth: list[str]
    compiled_truth: list[str]


@dataclass
class _Kernel:
    """A generated kernel to be, with the events that it stands for."""

    events: list[Event] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


class _Drawing:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.eager: list[Event] = []
        self.compiled: list[Event] = []
        self.numbers = 0
        self.graph_launches = self.random.random() < 0.2
        self.other_heavy = self.random.choice(("same", "same", "other", "template"))

    def pair(self) -> SimulatedPair:
        layers, width = self.random.randint(1, 12), self.random.randint(1, 4)
        phases: list[Phase] = ["forward", "backward"] if self.random.random() < 0.7 else ["forward"]
        for phase in phases:
            blocks = [self._block(phase) for _ in range(width)]
            for _ in range(layers):
                for heavy, operators in blocks:
                    self._heavy(phase, heavy)
                    self._pointwise(phase, operators)
        if len(phases) == 2:
            self._optimizer()
        _exchange_neighbours(self.random, self.eager, 0.04)
        return SimulatedPair(
            _units(self.eager, False),
            _units(self.compiled, self.graph_launches),
            [e.truth for e in self.eager],
            [e.truth for e in self.compiled],
        )

    def _block(self, phase: Phase) -> tuple[tuple[str, ...], list[str]]:
        pool = list(_FORWARD if phase == "forward" else _BACKWARD)
        own = self.random.sample(pool, self.random.randint(2, 7))
        operators = [self.random.choice(own) for _ in range(self.random.randint(1, 12))]
        return self.random.choice(_HEAVY["forward" if phase == "forward" else "backward"]), operators

    def _time(self, low: float, high: float) -> int:
        return round(1000 * self.random.uniform(low, high))

    def _heavy(self, phase: Phase, ops: tuple[str, ...]) -> None:
        time, op = self._time(20, 60), ops[0]
        event = Event(f"lib_{op}_kernel", ops, time, phase, operation=_OPERATIONS.get(op, op))
        event.truth = f"unchanged {event.name}"
        copy = Event(event.name, (op,), self._time(20, 60), phase, event.truth, operation=event.operation)
        if self.other_heavy == "other":
            copy.name = f"newlib_{op}_kernel"
            event.truth = copy.truth = f"replaced {op}"
        elif self.other_heavy == "template" and op in ("mm", "bmm", "addmm"):
            copy.name, copy.ops, copy.operation = f"triton_tem_fused_{op}_{self._number()}", (), None
            event.truth = copy.truth = f"fused triton_tem_fused_{op}"
        elif op == "addmm" and self.random.random() < 0.3:
            self.compiled.append(self._bias_copy(phase))
        self.eager.append(event)
        self.compiled.append(copy)

    def _bias_copy(self, phase: Phase) -> Event:
        name = "Memcpy DtoD (Device -> Device)"
        return Event(name, ("addmm",), self._time(1, 4), phase, f"added {name}", Category.MEMCPY)

    def _number(self) -> int:
        self.numbers += 1
        return self.numbers

    def _pointwise(self, phase: Phase, operators: Sequence[str]) -> None:
        table = _FORWARD if phase == "forward" else _BACKWARD
        kernels = [_Kernel()]
        for op in operators:
            event = Event(f"at_{table[op][0]}_kernel", table[op], self._time(2, 12), phase)
            self.eager.append(event)
            if self.random.random() < 0.02:
                event.truth = "removed"
                continue
            if kernels[-1].names and self.random.random() < 0.25:
                kernels.append(_Kernel())
            # Now and then the compiler puts an operator into the kernel before.
            early = len(kernels) > 1 and self.random.random() < 0.08
            chosen = kernels[-2] if early and kernels[-1].names else kernels[-1]
            chosen.names.append(op)
            chosen.events.append(event)
        made = [self._generated(phase, kernel) for kernel in kernels if kernel.names]
        _exchange_neighbours(self.random, made, 0.06)
        self.compiled += made

    def _generated(self, phase: Phase, kernel: _Kernel) -> Event:
        names = {*kernel.names, *self.random.sample(_VIEWS, self.random.randint(0, 2))}
        if self.random.random() < 0.1:
            names.add("addmm" if phase == "forward" else "mm")
        kind = self.random.choice(("poi", "red", "per"))
        identity = f"triton_{kind}_fused_{'_'.join(sorted(names))}"
        time = self._time(2, 12) + sum(e.time_ns for e in kernel.events) // 4
        for event in kernel.events:
            event.truth = f"fused {identity}"
        number = self._number()
        return Event(f"{identity}_{number}", (), time, phase, f"fused {identity}", number=number)

    def _optimizer(self) -> None:
        for op in ("_foreach_mul", "_foreach_addcdiv", "_fused_adamw"):
            for side in (self.eager, self.compiled):
                name = f"multi_tensor_{op}"
                side.append(Event(name, (op,), self._time(10, 30), "optimizer", f"unchanged {name}"))


def _exchange_neighbours(random: Random, events: list[Event], share: float) -> None:
    for i in range(len(events) - 1):
        if random.random() < share and events[i].phase == events[i + 1].phase:
            events[i], events[i + 1] = events[i + 1], events[i]


def _units(events: Sequence[Event], graph_launches: bool) -> list[Unit]:
    units = []
    for i, event in enumerate(events):
        known = not graph_launches or event.phase == "optimizer"
        units.append(
            Unit(
                position=i,
                name=event.name,
                kind=event.kind,
                time_ns=event.time_ns,
                bytes=None,
                ops=event.ops if known else (),
                calls=tuple(10 * i + k for k in range(len(event.ops))) if known else (),
                phase=event.phase,
                shape=None,
                operation=event.operation,
                generated=take_apart(event.name, _FORWARD.keys() | _BACKWARD.keys()),
            )
        )
    return units


def draw_pair(seed: int) -> SimulatedPair:
    """The pair of this number."""
    return _Drawing(seed).pair()
