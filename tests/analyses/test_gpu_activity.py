"""What one device did for one step: unions over its streams."""

from __future__ import annotations

from msgspec.structs import asdict

from tb_plugin_explain.analyses.gpu_activity import GpuActivity
from tb_plugin_explain.step_analyses import RunAnalyses
from tests.trace_drawing import draw, in_us

NAMES = {"n": "ncclDevKernel_AllReduce", "p": "Memcpy DtoH (Device -> Pageable)"}


def activity_of(picture: str, device: int = 0, step: int = 0) -> GpuActivity:
    gpus = RunAnalyses(draw(picture, names=NAMES)).steps[step].gpu
    return next(g.activity for g in gpus if g.device == device)


def test_busy_is_the_union_over_all_streams_and_every_kind_its_own() -> None:
    activity = activity_of("""
        us  :0    5    10   15   20   25
        step:[1                        ]
        cpu : [a] [b] [copy c] [set d]
        s7  :     [a    ] [c   ]
        s8  :        [b     ]    [d   ]
    """)
    expected = {"busy_ns": 20, "kernel_ns": 11, "copy_ns": 6, "memset_ns": 6}
    assert in_us(asdict(activity)) == expected | {"copy_exposed_ns": 3}


def test_overlapping_kernels_count_once_and_touching_ones_add_up() -> None:
    activity = activity_of("""
        us  :0    5    10   15
        step:[1            ]
        cpu :[a][b][c]
        s7  :   [a   ][c ]
        s8  :     [b ]
    """)
    assert in_us(asdict(activity)) == {"busy_ns": 10, "kernel_ns": 10}


def test_busy_may_exceed_the_step_and_runs_wherever_the_gpu_ran_it() -> None:
    activity = activity_of("""
        us  :0    5    10   15   20   25
        step:[1   ]
        cpu :[a]
        s7  :        [a              ]
    """)
    assert activity.busy_ns == 17_000


def test_communication_is_part_of_the_kernels_and_exposed_where_nothing_else_ran() -> None:
    activity = activity_of("""
        us  :0    5    10   15   20   25
        step:[1                      ]
        cpu :[n] [a] [copy c]
        s7  :   [n             ]
        s8  :     [a ]    [c     ]
    """)
    expected = {"busy_ns": 18, "kernel_ns": 16, "copy_ns": 8, "communication_ns": 16}
    assert in_us(asdict(activity)) == expected | {"communication_exposed_ns": 6, "copy_exposed_ns": 2}


def test_two_communication_kernels_do_not_hide_each_other() -> None:
    activity = activity_of("""
        us  :0    5    10   15
        step:[1             ]
        cpu :[n] [n]
        s7  :   [n     ]
        s8  :      [n     ]
    """)
    assert activity.communication_exposed_ns == activity.busy_ns == 11_000


def test_work_of_other_steps_does_not_hide_a_copy() -> None:
    activity = activity_of(
        """
        us  :0    5    10   15   20
        step:[1      ][2            ]
        cpu :[a]      [copy c]
        s7  :            [a        ]
        s8  :              [c    ]
    """,
        step=1,
    )
    assert activity.copy_exposed_ns == activity.copy_ns == 7_000


def test_devices_are_never_added() -> None:
    picture = """
        us   :0    5    10
        step :[1           ]
        cpu  :[a] [b]
        s7   :   [a    ]
        d1.s7:      [b  ]
    """
    assert activity_of(picture, 0).busy_ns == 7_000
    assert activity_of(picture, 1).busy_ns == 5_000
