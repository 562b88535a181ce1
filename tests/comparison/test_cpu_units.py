"""Operators of a step as units: own time, order, names, and the compiled graph's own time."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tb_plugin_explain.comparison.build import make_side
from tb_plugin_explain.comparison.cpu_units import find_cpu_units
from tb_plugin_explain.comparison.pair import Side
from tb_plugin_explain.comparison.unit import Unit
from tb_plugin_explain.comparison.units import seen_operators
from tb_plugin_explain.trace.model import Category
from tests.compiled_names import NAMES
from tests.recordings import NAMES as RECORDED
from tests.recordings import recording
from tests.trace_drawing import draw

WORDS = {
    **NAMES,
    "lin": "aten::linear",
    "mm": "aten::mm",
    "add": "aten::add_",
    "node": "MmBackward0",
    "cpp": "graph_0_cpp_fused_gelu_mul_0",
}


def side_of(picture: str) -> Side:
    return make_side("baseline", draw(picture, names=WORDS))


def units_of(picture: str, seen: Sequence[str] = ()) -> list[Unit]:
    return find_cpu_units(side_of(picture), seen)


def brief(units: Sequence[Unit]) -> list[tuple[str, int, tuple[str, ...]]]:
    return [(unit.name, unit.time_ns // 1000, unit.ops) for unit in units]


EAGER = """
    us  :0    5    10   15   20   25   30   35   40
    step:[1                                       ]
    cpu :  [lin            ]  [add]
    cpu :    [mm  ] [add]
    cpu2:                             [node   ]
    cpu2:                              [mm]
"""


def test_each_call_has_its_own_time_and_the_operators_around_it() -> None:
    units = units_of(EAGER)
    assert brief(units) == [
        ("aten::linear", 6, ("linear",)),
        ("aten::mm", 6, ("mm", "linear")),
        ("aten::add_", 5, ("add", "linear")),
        ("aten::add_", 5, ("add",)),
        # A node of autograd is a call of its own, and no operator of what runs inside it.
        ("MmBackward0", 5, ("MmBackward0",)),
        ("aten::mm", 4, ("mm",)),
    ]
    assert [unit.position for unit in units] == list(range(6))
    assert {unit.kind for unit in units} == {Category.CPU_OP}
    assert [unit.phase for unit in units[-2:]] == ["backward"] * 2
    assert units[1].calls[1] == units[0].calls[0]
    assert not any(unit.generated for unit in units)


def test_the_own_time_of_a_compiled_graph_is_a_unit_without_operators() -> None:
    units = units_of("""
        us  :0    5    10   15   20   25   30   35   40
        step:[1                                       ]
        cpu :[lookup][R0                         ]
        cpu :          [gr                  ]
        cpu :            [mm   ]  [mm   ]
    """)
    assert brief(units) == [
        ("TorchDynamo Cache Lookup", 8, ("TorchDynamo Cache Lookup",)),
        ("Torch-Compiled Region: 0/0", 7, ("Torch-Compiled Region",)),
        ("## Call CompiledFxGraph fabc ##", 8, ()),
        ("aten::mm", 7, ("mm",)),
        ("aten::mm", 7, ("mm",)),
    ]
    graphs = [unit for unit in units if unit.is_graph]
    assert [unit.position for unit in graphs] == [2]
    # The name holds a hash, by which the same graph of two runs may differ.
    assert graphs[0].identity == "compiled graph"


def test_an_event_of_a_generated_kernel_tells_its_operators() -> None:
    _, kernel = units_of(
        """
        step:[1                     ]
        cpu :[gr            ]
        cpu :   [cpp   ]
        """,
        seen=("gelu", "mul"),
    )
    assert kernel.named_ops == ("gelu", "mul")
    assert kernel.generated is not None
    assert kernel.identity == "cpp_fused_gelu_mul"
    assert not kernel.is_graph


def test_the_typical_step_is_that_of_median_operator_time() -> None:
    side = side_of("""
        us  :0    5    10   15   20   25   30   35   40   45   50
        step:[1         ][2         ][3         ][4         ]
        cpu : [mm    ]     [mm  ]     [mm     ]   [mm  ]
    """)
    # 8, 6, 9, 6 µs: of the two middle ones the smaller, and of the two of 6 µs the latest.
    assert side.typical is None
    assert side.typical_of_cpu == side.shown == 3
    assert brief(find_cpu_units(side, ())) == [("aten::mm", 6, ("mm",))]


def test_a_run_without_operators_has_no_units() -> None:
    assert units_of("step:[1   ]") == units_of("us  :0") == []


@pytest.mark.parametrize("name", RECORDED)
def test_units_of_a_recording_sum_to_the_step(name: str) -> None:
    side = make_side("baseline", recording(name))
    run, step = side.run, side.typical_of_cpu
    assert step is not None
    units = find_cpu_units(side, seen_operators(side))
    events, window = run.trace.events, run.recording.steps[step]
    chosen = run.operator_tree.operators | run.compiled_path.events
    chosen &= (events.start_ns >= window.start_ns) & (events.start_ns < window.end_ns)
    assert sum(unit.time_ns for unit in units) == int(run.operator_tree.self_ns[chosen].sum()) > 0
    assert len(units) == int(chosen.sum())
    compiled = 0 if "eager" in name else 4 if "graph_break" in name else 2
    assert sum(unit.is_graph for unit in units) == compiled
    assert all(unit.shape is not None for unit in units if unit.name == "aten::mm") == ("shapes" in name)


def test_shapes_change_the_category_of_a_compiled_graph_and_no_unit() -> None:
    plain, shaped = (
        find_cpu_units(make_side("baseline", recording(name)), ())
        for name in ("classifier_compiled", "classifier_compiled_shapes")
    )
    assert [(u.identity, u.ops, u.phase) for u in plain] == [(u.identity, u.ops, u.phase) for u in shaped]


def test_generated_kernels_of_a_recording_are_read() -> None:
    eager = make_side("baseline", recording("classifier_eager"))
    side = make_side("candidate", recording("classifier_kernel_events"))
    units = find_cpu_units(side, seen_operators(eager))
    kernels = [unit.named_ops for unit in units if unit.generated and not unit.is_graph]
    assert kernels == [
        ("gelu",),
        ("gelu",),
        ("gelu", "gelu_backward", "sum"),
        ("gelu", "gelu_backward", "sum"),
        ("sum",),
    ]
