"""Why one operator has a runtime call more than another."""

from __future__ import annotations

from pathlib import Path

from tb_plugin_explain.trace.reader import read_trace
from tests.rules.asking import ask, cut, found, outcomes, table
from tests.trace_drawing import draw

QUERY = "cudaOccupancyMaxActiveBlocksPerMultiprocessor"


def test_the_question_of_the_tutorial(shared_cases: Path) -> None:
    finding = found("occupancy-query", read_trace(str(shared_cases / "T01-tutorial-64-cold.json")))
    assert finding.verdict == "expected"
    assert finding.title == "Extra calls before aten::mm are planning"
    assert QUERY in finding.text
    assert "such as aten::add, need not ask, so they make one call fewer" in finding.text
    assert finding.at_stake_us == 0


def test_it_counts_by_operator() -> None:
    trace = draw(
        """
        us  :0    5    10   15   20   25   30
        step:[1                              ]
        cpu : [op       ]  [op       ]  [q]
        cpu :  [q] [a]      [q] [b]
        s7  :       [a ]         [b ]
    """,
        names={"q": QUERY},
    )
    # Blocks of one letter are launches, so the names stand for their kernels.
    assert ask("occupancy-query", trace) == []
    trace = draw(f"""
        us  :0    5    10   15   20   25   30   35   40   45   50   55
        step:[1                                                                         ]
        cpu : [op                                                       ]
        cpu :  [{QUERY}] [a]
        s7  :                                                                 [a ]
    """)
    finding = found("occupancy-query", trace)
    assert table(finding) == [["aten::mm", 1]]
    assert "1 time and 47.0 µs in this step" in finding.text


def test_a_cut_file_is_not_asked() -> None:
    trace = cut(draw("step:[1  ]\ncpu : [op]"))
    assert outcomes(trace)["occupancy-query"] == "not_measured"
