"""Section `operators`: one row a name, over the tree that `prof.key_averages()` sees."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from .. import names
from ..load import Event
from .basis import ROWS, Basis, duration, is_operator, longest_event, ratio, total
from .nesting import nesting_of

IGNORED = (
    "profiler::_record_function_enter",
    "profiler::_record_function_enter_new",
    "profiler::_record_function_exit",
    "aten::is_leaf",
    "aten::output_nr",
    "aten::_version",
)
DEVICE_FIGURES = ("device_self_us", "device_total_us", "kernels", "share")
DEVICE_TOTALS = ("device_us", "unattributed_us")


def reference_operators(basis: Basis) -> dict[str, Any] | None:
    if not any(is_operator(e) for e in basis.recording.events):
        return None
    tree = Tree(basis)
    averaged = set(basis.averaged)
    by_name: dict[str, list[Event]] = defaultdict(list)
    for event in basis.recording.events:
        if is_operator(event) and tree.has_place(event):
            by_name[event.name].append(event)
    device = device_figures(basis, tree) if basis.averaged_work else None
    device_ns = total(basis.averaged_work) if basis.averaged_work else None
    rows = []
    for name, operators in by_name.items():
        here = [o for o in operators if basis.step_of(o) in averaged]
        rows.append(
            {
                "name": name,
                "recorded": tree.cpu(operators),
                **tree.cpu(here),
                **device_columns(name, device, device_ns),
                "longest_event": longest_event(
                    (o, tree.nesting.cut_length(o)) for o in here if not tree.repeated(o)
                ),
            }
        )
    rows.sort(key=order)
    shown, left = rows[:ROWS], rows[ROWS:]
    return {
        "steps": len(basis.averaged),
        "rows": shown,
        "rest": {
            "names": len(left),
            "calls": sum(r["calls"] for r in left),
            "cpu_self_us": sum(r["cpu_self_us"] for r in left),
            "device_self_us": None if device is None else sum(r["device_self_us"] for r in left),
            "kernels": None if device is None else sum(r["kernels"] for r in left),
        },
        "device_us": device_ns,
        "unattributed_us": None if device is None else device["unattributed"],
        "not_measured": [] if device is not None else [*DEVICE_FIGURES, *DEVICE_TOTALS],
    }


def order(row: dict[str, Any]) -> tuple[Any, ...]:
    largest = max(row["cpu_self_us"], row["device_self_us"] or 0)
    return (-largest, -row["recorded"]["cpu_self_us"], row["name"])


class Tree:
    """Without Python frames and the operators that `key_averages()` ignores."""

    def __init__(self, basis: Basis) -> None:
        self.nesting = nesting_of(basis)
        self.parent: dict[int, Event | None] = {}
        self.children: dict[int, list[Event]] = defaultdict(list)
        for event in basis.recording.events:
            if event.kind in names.THREAD_KINDS and self.has_place(event):
                parent = next(self.ancestors(event), None)
                self.parent[event.index] = parent
                if parent is not None:
                    self.children[parent.index].append(event)

    def has_place(self, event: Event) -> bool:
        ignored = event.kind == names.OP and event.name in IGNORED
        return event.kind != names.PYTHON and not ignored

    def ancestors(self, event: Event) -> Iterator[Event]:
        return (a for a in self.nesting.ancestors(event) if self.has_place(a))

    def repeated(self, event: Event) -> bool:
        parent = self.parent[event.index]
        return parent is not None and parent.name == event.name and len(self.children[parent.index]) == 1

    def cpu(self, operators: list[Event]) -> dict[str, int]:
        calls = [o for o in operators if not self.repeated(o)]
        return {
            "calls": len(calls),
            "cpu_total_us": sum(self.nesting.cut_length(o) for o in calls),
            "cpu_self_us": sum(self.self_time(o) for o in operators),
        }

    def self_time(self, operator: Event) -> int:
        inside = sum(self.nesting.cut_length(child) for child in self.children[operator.index])
        return self.nesting.cut_length(operator) - inside


def device_figures(basis: Basis, tree: Tree) -> dict[str, Any]:
    own: dict[str, int] = defaultdict(int)
    whole: dict[str, int] = defaultdict(int)
    kernels: dict[str, int] = defaultdict(int)
    unattributed = 0
    for event in basis.averaged_work:
        launch = event.launch
        above = [] if launch is None else [a for a in tree.ancestors(launch) if is_operator(a)]
        if not above:
            unattributed += duration(event)
            continue
        own[above[0].name] += duration(event)
        kernels[above[0].name] += event.kind == names.KERNEL
        for operator in above:
            if not tree.repeated(operator):
                whole[operator.name] += duration(event)
    return {"self": own, "total": whole, "kernels": kernels, "unattributed": unattributed}


def device_columns(name: str, device: dict[str, Any] | None, device_ns: int | None) -> dict[str, Any]:
    if device is None or device_ns is None:
        return dict.fromkeys(DEVICE_FIGURES)
    own = device["self"].get(name, 0)
    return {
        "device_self_us": own,
        "device_total_us": device["total"].get(name, 0),
        "kernels": device["kernels"].get(name, 0),
        "share": ratio(own, device_ns),
    }
