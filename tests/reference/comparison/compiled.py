"""What torch.compile did in one run."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

from .. import names
from ..intervals import Intervals, length, subtract, union
from ..load import Event
from ..sections.basis import Basis, is_operator
from ..sections.nesting import nesting_of
from ..sections.operators import Tree
from ..steps import Step

LOOKUP = "TorchDynamo Cache Lookup"
PROLOGUES = ("Pregraph bytecode", "AOTDispatcher Runtime Wrapper Prologue")
FUNCTIONS = ("CompiledFunction", "CompiledFunctionBackward")
REGION = re.compile(r"Torch-Compiled Region(?:: (.+))?")
GRAPH_CODE = re.compile(r"## Call CompiledFxGraph .*")
_KINDS = ("poi", "red", "per", "tem", "for", "spl", "mix", "unk")
_OF_FUSED = (*(f"triton_{kind}" for kind in _KINDS), "triton", "cpp", "cutlass", "cuda", "rocm", "xpu")
_NAMELESS = re.compile(r"triton_([0-9]*|_[0-9dec]*|(poi|red|per|tem|for|spl|mix|unk)_*[0-9]*)")
ENDING = re.compile(r" \(dynamo_timed\)$|_data: .*$")
BREAK = ("before", "after", "between_us", "operators")
Between = dict[str, Any]


def is_generated(name: str) -> bool:
    """Whether the name is one of those that Inductor gives."""
    fused = name.startswith(tuple(f"{start}_fused_" for start in _OF_FUSED)) and name[-1].isdigit()
    return fused or _NAMELESS.fullmatch(name) is not None


def is_region(event: Event) -> bool:
    return REGION.fullmatch(event.name) is not None


def is_graph_code(event: Event) -> bool:
    return GRAPH_CODE.fullmatch(event.name) is not None


def on_compiled_path(event: Event) -> bool:
    if event.kind not in (names.OP, names.ANNOTATION):
        return False
    return event.name in (LOOKUP, *PROLOGUES, *FUNCTIONS) or is_region(event) or is_graph_code(event)


class CompiledPath:
    def __init__(self, basis: Basis) -> None:
        self.basis = basis
        self.by_step: dict[Step, list[Event]] = defaultdict(list)
        path = [e for e in basis.recording.events if on_compiled_path(e)]
        for event in path:
            step = basis.step_of(event)
            if step is not None:
                self.by_step[step].append(event)
        self.compiling = [
            e
            for e in basis.recording.events
            if e.kind in (names.OP, names.ANNOTATION) and names.is_compile(e.name)
        ]
        generated = any(e.kind == names.KERNEL and is_generated(e.name) for e in basis.averaged_work)
        self.is_shown = generated or any(self.by_step[step] for step in basis.averaged)
        self.shows_device = bool(basis.recording.gpu) or any(
            names.is_kernel_launch_call(c.kind, c.name) for c in basis.recording.calls
        )
        self.tells_tax = any(is_graph_code(e) for e in path)
        self.tree = Tree(basis) if path else None

    def facts(self, step: Step) -> dict[str, Any] | None:
        """Times in nanoseconds; None where the compared steps run nothing compiled."""
        if not self.is_shown:
            return None
        path = self.by_step[step]
        regions = [m.group(1) for e in path if (m := REGION.fullmatch(e.name))]
        launches = [group.call for group in step.launch_groups if not group.captured]
        graphs = sum("GraphLaunch" in call.name for call in launches)
        breaks = self.breaks(step)
        return {
            "regions": sorted({identity for identity in regions if identity is not None}),
            "region_calls": len(regions),
            "lookups": sum(e.name == LOOKUP for e in path),
            "graph_breaks": len(breaks),
            "breaks": [
                {key: b[key] for key in ("before", "after", "between_us", "operators")} for b in breaks
            ],
            "graph_launches": graphs if self.shows_device else None,
            "kernel_launches": len(launches) - graphs if self.shows_device else None,
            "tax_us": self.tax_of(step),
            "tax": self.tax_parts(step) if self.tells_tax else None,
            **self.of_recording(),
        }

    def of_recording(self) -> dict[str, Any]:
        again = [s for s in self.basis.steps.steps if "recompile" in self.basis.settled.reasons[s]]
        spans = union((e.start, e.end) for e in self.compiling)
        return {
            "recompiles": len(again),
            "recompiled_steps": [s.number for s in again],
            "captures": sum("StreamBeginCapture" in c.name for c in self.basis.recording.calls),
            "compile_us": length(spans) if self.compiling else None,
            "phases": self.phases(),
        }

    def phases(self) -> dict[str, int]:
        """ "Every instant belongs to the compile event that began last"."""
        taken: Intervals = []
        by_name: dict[str, int] = defaultdict(int)
        for event in sorted(self.compiling, key=lambda e: (-e.start, e.end, -e.index)):
            name = ENDING.sub("", event.name)
            by_name[name] += length(subtract(whole(event), taken))
            taken = union([*taken, (event.start, event.end)])
        return dict(by_name)

    def tax_of(self, step: Step) -> int | None:
        if not self.is_shown or not self.tells_tax:
            return None
        return sum(self.tax_parts(step).values())

    def tax_parts(self, step: Step) -> dict[str, int]:
        """All "without compiling"; lookups and prologues also without compiled code inside."""
        parts = {"lookup_us": 0, "prologue_us": 0, "wrapper_us": 0}
        programs = self.programs_own(step)
        for event in self.by_step[step]:
            if event.name == LOOKUP:
                parts["lookup_us"] += length(self.without_compiled_code(event))
            elif event.name in PROLOGUES:
                parts["prologue_us"] += length(self.without_compiled_code(event))
            elif not is_graph_code(event):
                own = subtract(self.own(event), programs[event.index])
                parts["wrapper_us"] += length(self.without_compiling(event, own))
        return parts

    def own(self, event: Event) -> Intervals:
        """What no child covers: operators, annotations and calls, as in section `operators`."""
        assert self.tree is not None
        cut_end = self.tree.nesting.cut_end
        inside = union((c.start, cut_end[c.index]) for c in self.tree.children[event.index])
        return subtract(union([(event.start, cut_end[event.index])]), inside)

    def without_compiling(self, event: Event, intervals: Intervals) -> Intervals:
        here = union((c.start, c.end) for c in self.compiling if c.thread == event.thread)
        return subtract(intervals, here)

    def without_compiled_code(self, event: Event) -> Intervals:
        code = [
            (e.start, e.end)
            for e in self.basis.recording.by_thread[event.thread]
            if is_graph_code(e) and e.start < event.end and e.end > event.start
        ]
        return self.without_compiling(event, subtract(whole(event), union(code)))

    def breaks(self, step: Step) -> list[Between]:
        """The regions inside a region, in the order of the thread."""
        regions = [e for e in self.by_step[step] if is_region(e)]
        found = [(e, self.region_around(e)) for e in regions]
        rank = nesting_of(self.basis).rank_in_order
        inner = [(e, outer) for e, outer in found if outer is not None]
        return [self.between(*pair) for pair in sorted(inner, key=lambda p: (p[0].start, rank[p[0].index]))]

    def region_around(self, region: Event) -> Event | None:
        """The innermost event of the compiled path above, if it is a region too."""
        above = (a for a in nesting_of(self.basis).ancestors(region) if on_compiled_path(a))
        innermost = next(above, None)
        return innermost if innermost is not None and is_region(innermost) else None

    def between(self, after: Event, outer: Event) -> Between:
        cut_end = nesting_of(self.basis).cut_end
        inside = [e for e in self.inside(outer) if e.start < after.start and e is not after]
        ran = [e for e in inside if on_compiled_path(e) and e.name != LOOKUP]
        regions = [e for e in ran if is_region(e) and self.region_around(e) is outer]
        begin = max([outer.start, *(min(cut_end[e.index], after.start) for e in ran)])
        lookups = union((e.start, e.end) for e in inside if e.name == LOOKUP)
        spans = subtract([(begin, after.start)] if begin < after.start else [], lookups)
        return {
            "before": identity(max(regions, key=lambda e: e.start) if regions else outer),
            "after": identity(after),
            "between_us": length(spans),
            "operators": self.outermost([e for e in inside if begin <= e.start]),
            "outer": outer,
            "spans": spans,
        }

    def inside(self, outer: Event) -> list[Event]:
        nesting = nesting_of(self.basis)
        end = nesting.cut_end[outer.index]
        return [
            e
            for e in self.basis.recording.by_thread[outer.thread]
            if outer.start <= e.start < end and any(a is outer for a in nesting.ancestors(e))
        ]

    def outermost(self, events: list[Event]) -> list[str]:
        nesting = nesting_of(self.basis)
        operators = [e for e in events if is_operator(e) and not on_compiled_path(e)]
        indexes = {e.index for e in events if is_operator(e)}
        top = [e for e in operators if not any(a.index in indexes for a in nesting.ancestors(e))]
        return [e.name for e in sorted(top, key=lambda e: nesting.rank_in_order[e.index])]

    def programs_own(self, step: Step) -> dict[int, Intervals]:
        """Region → "what no event covers between two regions, which is the program's own Python"."""
        found: dict[int, Intervals] = defaultdict(list)
        for place in self.breaks(step):
            index = place["outer"].index
            found[index] = union([*found[index], *place["spans"]])
        return found


def whole(event: Event) -> Intervals:
    return union([(event.start, event.end)])


def identity(region: Event) -> str:
    found = REGION.fullmatch(region.name)
    return "" if found is None or found.group(1) is None else found.group(1)
