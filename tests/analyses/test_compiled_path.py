"""How compiled code ran, and what of it is machinery."""

from __future__ import annotations

import numpy as np

from tb_plugin_explain.analyses.compiled_path import Part, Tax, is_compiled
from tb_plugin_explain.analyses.graph_breaks import operators_between, place_of
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category
from tests.compiled_names import NAMES
from tests.trace_drawing import draw, rows_of, trace_of


def run_of(picture: str) -> RunAnalyses:
    return RunAnalyses(draw(picture, names=NAMES))


def test_the_tax_of_a_step_is_lookup_prologue_and_own_time_of_the_wrappers() -> None:
    run = run_of("""
        us  :0    5    10   15   20   25   30   35   40   45   50   55   60
        step:[1                                                           ]
        cpu :  [lookup][R0                               ]  [mul ]
        cpu :            [byte] [pro] [fun             ]
        cpu :                          [gr         ]
        cpu :                            [mul ]
        cpu2:                                               [back       ]
        cpu2:                                                 [gr   ]
    """)
    # Region 35 - 6 - 5 - 18, function 18 - 13, backward 13 - 7; the graphs' own time is their work.
    assert run.steps[0].compile_tax == Tax(8_000, 11_000, 6_000 + 5_000 + 6_000)
    assert run.steps[0].compile_tax.total_ns == 36_000
    assert isinstance(run.steps[0].compile_tax.lookup_ns, int)
    path = run.compiled_path
    assert [len(path.of_step(0, part)) for part in Part] == [1, 2, 2, 1, 2]
    assert len(path.of_step(0)) == 8


def test_an_eager_step_has_no_tax_and_a_step_is_compiled_by_what_begins_in_it() -> None:
    run = run_of("""
        us  :0    5    10   15   20   25   30   35
        step:[1           ][2                   ]
        cpu :  [mul ]       [lookup][R0   ]
        cpu :                         [gr]
    """)
    assert run.steps[0].compile_tax is None
    assert run.steps[1].compile_tax == Tax(8_000, 0, 3_000)
    path = run.compiled_path
    assert [is_compiled(path, steps) for steps in ([0], [1], [0, 1], [])] == [False, True, True, False]


def test_without_a_mark_of_the_graphs_the_machinery_is_not_known() -> None:
    run = run_of("""
        us  :0    5    10   15   20   25   30
        step:[1                             ]
        cpu :  [lookup][old              ]
        cpu :             [mul ]
    """)
    assert run.steps[0].compile_tax is None
    assert len(run.compiled_path.of_step(0)) == 2


def test_compiling_is_no_tax() -> None:
    run = run_of("""
        us  :0    5    10   15   20   25   30   35   40   45
        step:[1                                           ]
        cpu :[lookup      ][R0                        ]
        cpu :    [phase]     [fun                  ]
        cpu :                  [phase   ] [gr]
    """)
    # Lookup 14 - 7; region 28 - 23, function 23 - 10 - 4.
    assert run.steps[0].compile_tax == Tax(7_000, 0, 5_000 + 9_000)


def test_frames_of_python_take_nothing_from_the_wrappers() -> None:
    run = run_of("""
        us  :0    5    10   15   20   25   30
        step:[1                             ]
        cpu :[R0                      ]
        cpu :  [py                 ]
        cpu :     [gr        ]
    """)
    assert run.steps[0].compile_tax == Tax(0, 0, 26_000 - 12_000)


BROKEN = """
    us  :0    5    10   15   20   25   30   35   40   45   50   55   60   65   70   75   80
    step:[1                                                                                ]
    cpu :[R0                                                                         ]
    cpu :  [fun     ] [item    ] [lookup][R1                   ] [mul] [R2      ]
    cpu :    [gr  ]      [mul]              [gr        ]                 [gr ]
"""


def test_a_region_inside_a_region_is_a_graph_break() -> None:
    run = run_of(BROKEN)
    breaks = run.compiled_path.breaks
    names = [run.trace.name_of(row)[-3:] for row in (*breaks.before, *breaks.after)]
    assert names == ["0/0", "1/0", "1/0", "2/0"]
    # From the end of the function (12) to the next region (32), and from there (55) to the last (62).
    assert breaks.between_ns.tolist() == [20_000 - 8_000, 7_000]
    assert breaks.lookup_ns.tolist() == [8_000, 0]
    assert breaks.own_ns.tolist() == [20_000 - 8_000 - 10_000, 7_000 - 5_000]
    tax = run.steps[0].compile_tax
    assert tax is not None
    # What Python does at a break is the program's own, and no tax.
    own = 77_000 - (10_000 + 10_000 + 8_000 + 23_000 + 5_000 + 10_000) - 2_000 - 2_000
    assert tax.wrapper_ns == own + (10_000 - 6_000) + (23_000 - 12_000) + (10_000 - 5_000)


def test_the_outermost_operators_at_a_break_are_told() -> None:
    run = run_of(BROKEN)
    path = run.compiled_path
    rows = operators_between(run.trace, run.origins, path.breaks, np.array([0, 1]), path.events)
    assert [[run.trace.name_of(row) for row in found] for found in rows] == [["aten::item"], ["aten::mul"]]


def test_stacks_tell_where_the_graph_broke() -> None:
    words = {"resume": "net.py(12): torch_dynamo_resume_in_forward_at_12", "frame": "net.py(10): forward"}
    drawn = rows_of(
        """
        us  :0    5    10   15   20   25   30   35   40
        step:[1                                        ]
        cpu :[R0                                     ]
        cpu : [frame                                ]
        cpu :   [gr ]  [item] [R1                 ]
        cpu :                  [resume           ]
        cpu :                    [gr ]
        """,
        names=NAMES | words,
    )
    rows = [row._replace(category=Category.PYTHON) if row.name in words.values() else row for row in drawn]
    run = RunAnalyses(trace_of(rows))
    breaks = run.compiled_path.breaks
    assert place_of(run.trace, run.origins, breaks, 0) == "net.py(12): forward"
    assert breaks.between_ns.tolist() == [9_000]
    without = RunAnalyses(trace_of([row for row in rows if row.name != words["resume"]]))
    assert place_of(without.trace, without.origins, without.compiled_path.breaks, 0) is None


def test_regions_one_after_the_other_are_no_break() -> None:
    run = run_of("""
        us  :0    5    10   15   20   25   30
        step:[1                             ]
        cpu :[R0       ] [mul] [R1      ]
        cpu :  [gr ]             [gr ]
    """)
    assert len(run.compiled_path.breaks.after) == 0


def test_a_region_inside_a_compiled_graph_is_no_break() -> None:
    run = run_of("""
        us  :0    5    10   15   20   25   30
        step:[1                             ]
        cpu :[R0                         ]
        cpu :  [gr                    ]
        cpu :      [R1        ]
    """)
    assert len(run.compiled_path.breaks.after) == 0


def test_an_annotation_between_regions_hides_no_break() -> None:
    run = run_of("""
        us  :0    5    10   15   20   25   30   35   40
        step:[1                                       ]
        cpu :[R0                                  ]
        cpu :  [gr ]  [data                    ]
        cpu :            [mul]  [R1      ]
        cpu :                     [gr ]
    """)
    breaks = run.compiled_path.breaks
    assert breaks.between_ns.tolist() == [12_000]
    # Of these the annotation covers all but the first two.
    assert breaks.own_ns.tolist() == [2_000]


def test_a_trace_without_anything_compiled_has_an_empty_path() -> None:
    path = run_of("cpu : [mul] [item]").compiled_path
    assert len(path.row) == len(path.breaks.after) == 0
    assert np.array_equal(path.events, np.zeros(2, np.bool_))
