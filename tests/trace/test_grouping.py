"""Rows by a small integer key."""

from __future__ import annotations

import numpy as np
import pytest

from tb_plugin_explain.trace.grouping import Groups, distinct


def test_each_key_gets_its_positions_in_order_and_negative_keys_none() -> None:
    groups = Groups(np.array([2, -1, 0, 2, 0, -1], np.int64), 4)
    assert [groups[k].tolist() for k in range(4)] == [[2, 4], [], [0, 3], []]


def test_no_rows_give_empty_groups() -> None:
    assert Groups(np.zeros(0, np.int64), 1)[0].tolist() == []


@pytest.mark.parametrize("values", [[], [3], [5, 2, 5, -1, 2], [-(2**63), 2**63 - 1]])
def test_distinct_values_come_once_and_ascending(values: list[int]) -> None:
    assert distinct(np.array(values, np.int64)).tolist() == sorted(set(values))
