"""A GPU that waits for the data loader."""

from __future__ import annotations

import pytest

from tests.rules.asking import ask, assert_not_measured, found, table
from tests.trace_drawing import draw


def test_the_gpu_waits_for_a_batch() -> None:
    finding = found(
        "input-idle",
        draw("""
        us  :0    5    10   15   20   25
        step:[1                         ]
        cpu :[a] [data          ][b]
        s7  :  [a ]                [b   ]
    """),
    )
    assert finding.verdict == "fix"
    # The loader ran from 4 to 20; the GPU was busy until 6.
    assert finding.at_stake_us == 14
    assert finding.title == "The GPU waits 14.0 µs for the data loader"
    assert "of this step the GPU had nothing to do" in finding.text
    assert finding.advice.startswith("Set num_workers=4 in the DataLoader. ")
    assert table(finding) == [[1, 14, 28]]
    assert finding.pill is None


@pytest.mark.parametrize(
    ("loader", "advice"),
    [
        ("_MultiProcessingDataLoaderIter.__next__", "Give the DataLoader more workers. "),
        ("__next__", "Load in the background. "),
    ],
)
def test_the_advice_goes_by_who_loads(loader: str, advice: str) -> None:
    picture = """
        us  :0    5    10   15   20   25
        step:[1                         ]
        cpu :[a] [data          ][b]
        s7  :  [a ]                [b   ]
    """
    finding = found("input-idle", draw(picture, names={"data": f"enumerate(DataLoader)#{loader}"}))
    assert finding.advice.startswith(advice)
    assert "num_workers is 0" not in finding.text


def test_loading_that_the_gpu_does_not_notice_costs_nothing() -> None:
    assert (
        ask(
            "input-idle",
            draw("""
        us  :0    5    10   15   20   25
        step:[1                         ]
        cpu :[a] [data          ][b]
        s7  :  [a                ] [b   ]
    """),
        )
        == []
    )


def test_without_steps_the_share_is_of_the_time_with_gpu_work() -> None:
    text = found(
        "input-idle",
        draw("""
        us  :0    5    10   15   20   25
        cpu :[a] [data          ][b]
        s7  :  [a ]                [b   ]
    """),
    ).text
    assert "of the time between its first and last event" in text


def test_not_measured_without_gpu_events() -> None:
    assert_not_measured(
        "input-idle",
        draw("""
        us  :0    5    10
        step:[1        ]
        cpu :[data    ]
    """),
        "no GPU event",
    )
