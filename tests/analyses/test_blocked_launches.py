"""Launch calls far longer than usual, and why, as docs/definitions/queue.md has it."""

from __future__ import annotations

from tb_plugin_explain.analyses.blocked_launches import FULL_QUEUE_LAUNCHES, LongLaunch
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.trace.model import Category, Trace
from tests.trace_drawing import Row, draw, trace_of

STEP = Row(Category.ANNOTATION, "ProfilerStep#1", 0, 100_000)


def launch(
    number: int, at: float, call: float, start: float, kernel: float, name: str = "cudaLaunchKernel"
) -> list[Row]:
    """A call and its kernel; times in µs."""
    return [
        Row(Category.RUNTIME, name, at, call, correlation=number),
        Row(Category.KERNEL, f"k{number}", start, kernel, correlation=number, device=0, stream="7"),
    ]


def long_launches(*launches: list[Row]) -> list[LongLaunch]:
    return list(RunAnalyses(trace_of([STEP, *(row for rows in launches for row in rows)])).long_launches)


def test_a_long_call_behind_unfinished_work_is_held_up() -> None:
    (found,) = long_launches(launch(1, 10, 5, 16, 5800), launch(2, 40, 5000, 5816, 10))
    assert (found.reason, found.ahead, found.duration_ns, found.usual_ns) == (
        "busy_stream",
        1,
        5_000_000,
        5_000,
    )


def test_a_long_call_with_nothing_left_ahead_has_no_reason() -> None:
    (found,) = long_launches(launch(1, 10, 5, 16, 100), launch(2, 40, 5000, 5050, 10))
    assert (found.reason, found.ahead) == (None, 1)


def test_usual_is_the_lower_quarter_of_the_calls_of_the_name() -> None:
    ordinary = [launch(i, 200 * i, 5, 200 * i + 10, 1) for i in range(1, 4)]
    blocked = [launch(10 + i, 1000 + 1000 * i, 900, 1950 + 1000 * i, 2) for i in range(8)]
    # 11 calls: the third smallest is usual, though most are long.
    assert len(long_launches(*ordinary, *blocked)) == 8
    # 13 calls: the fourth is a long one, so none stands out.
    assert (
        long_launches(
            *ordinary, *blocked, launch(18, 9500, 900, 10_500, 2), launch(19, 11_000, 900, 12_000, 2)
        )
        == []
    )


def test_ten_times_the_usual_and_a_tenth_of_a_millisecond_are_not_long() -> None:
    assert long_launches(launch(1, 10, 5, 16, 900), launch(2, 40, 100, 1000, 10)) == []
    assert len(long_launches(launch(1, 10, 5, 16, 900), launch(2, 40, 100.001, 1000, 10))) == 1
    assert long_launches(launch(1, 10, 20, 32, 900), launch(2, 40, 200, 1000, 10)) == []


def test_overhead_says_that_the_queue_was_full() -> None:
    full = [Row(Category.OVERHEAD, "Command Buffer Full", 500, 10, "overhead", "0")]
    (found,) = long_launches(launch(1, 10, 5, 16, 100), launch(2, 40, 5000, 5050, 10), full)
    assert found.reason == "full_queue"


def test_so_many_launches_ahead_fill_the_queue() -> None:
    ahead = [launch(i + 1, i, 0.5, 10_000 + i, 1) for i in range(FULL_QUEUE_LAUNCHES)]
    (found,) = long_launches(*ahead, launch(5000, 2000, 1000, 50_000, 10))
    assert (found.reason, found.ahead) == ("full_queue", FULL_QUEUE_LAUNCHES)
    (found,) = long_launches(*ahead[1:], launch(5000, 2000, 1000, 50_000, 10))
    assert found.reason == "busy_stream"


def test_copies_wait_by_nature() -> None:
    assert _of_drawing({"b": "Memcpy HtoD (Pageable -> Device)"}) == []
    assert len(_of_drawing({})) == 1


def _of_drawing(names: dict[str, str]) -> list[LongLaunch]:
    trace: Trace = draw(
        """
        us  :0    5    10   15   20   25   30   35
        step:[1                                   ]
        cpu :a   [b                 ]
        s7  : [a                       ][b ]
    """,
        us=100,
        names=names,
    )
    # Its usual duration is that of the short call.
    return [c for c in RunAnalyses(trace).long_launches if c.duration_ns > 1_000_000]


def test_only_calls_of_averaged_steps_count_as_held_up() -> None:
    rows = [*launch(1, 10, 5, 16, 5800), *launch(2, 40, 5000, 5816, 10)]
    inside = RunAnalyses(trace_of([STEP, *rows]))
    outside = RunAnalyses(trace_of([Row(Category.ANNOTATION, "ProfilerStep#1", 0, 30), *rows]))
    assert len(inside.blocked) == 1
    assert inside.device_busy_ns(inside.blocked) == 5_000_000
    assert list(outside.blocked) == []
