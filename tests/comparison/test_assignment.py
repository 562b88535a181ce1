"""Which events a generated kernel gets, and what it takes to find them."""

from __future__ import annotations

import tracemalloc

import numpy as np

from tb_plugin_explain.comparison.assignment import assign
from tb_plugin_explain.comparison.evidence_of_names import Evidence
from tb_plugin_explain.comparison.unit import Generated, Unit
from tests.comparison.drawn_units import unit, units


def generated(*ops: str) -> Generated:
    return Generated("name", "poi", ops, True)


def given(kernels: list[Unit], events: list[Unit]) -> list[list[int]]:
    expected = np.linspace(0, len(events), len(kernels))
    return [[event.position for event in found] for found in assign(kernels, events, expected, len(events))]


def test_a_kernel_that_found_none_gets_one_that_another_can_spare() -> None:
    events = units("add_kernel < add", "add_kernel < add", "mul_kernel < mul")
    kernels = units("triton_poi_fused_add_0", "triton_poi_fused_add_mul_1")
    assert given(kernels, events) == [[0], [1, 2]]
    fewer = units("add_kernel < add", "mul_kernel < mul")
    # The only one is not taken away from a kernel that has no other.
    assert given(kernels, fewer) == [[0], [1]]


def test_no_event_is_given_twice_where_there_are_too_few_for_all() -> None:
    events = [unit(i, "add_kernel", "add") for i in range(40)]
    kernels = [unit(i, f"triton_poi_fused_add_mul_{i}") for i in range(60)]
    found = given(kernels, events)
    assert sorted(event for own in found for event in own) == list(range(40))
    assert max(map(len, found)) == 1


def test_names_share_the_evidence_of_their_operators() -> None:
    events = units("add_kernel < add", "gemm < mm", "mul_kernel < mul")
    evidence = Evidence(events)
    (add,) = evidence.rows(generated("add"))
    assert evidence.rows(generated("add", "mul", "sin"))[0] is add
    assert evidence.light_rows(generated("add"))[0] is evidence.light_rows(generated("mm", "add"))[1]
    assert [row.tolist() for row in evidence.rows(generated("mm"))] == [[False, True, False]]
    assert [row.tolist() for row in evidence.light_rows(generated("mm"))] == [[False] * 3]
    assert evidence.rows(generated("sin")) == evidence.light_rows(generated("sin")) == []


def test_memory_goes_with_the_operators_and_not_with_the_kernels() -> None:
    events = [unit(i, "add_kernel", "add", "mul", "sum") for i in range(10_000)]
    evidence = Evidence(events)
    tracemalloc.start()
    kept = [evidence.light_rows(generated("add", "mul", "sum")) for _ in range(1_000)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(kept) == 1_000
    # Six rows of a byte an event; one for each kernel and operator would be 30 MB.
    assert peak < 1_000_000
