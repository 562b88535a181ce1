"""GPU work has the names that people use, where the glossary can tell; all else keeps its own."""

from __future__ import annotations

from pathlib import Path

from tb_plugin_explain.timeline.store import LONGEST_NAME
from tb_plugin_explain.trace.model import Category
from tests.timeline.windows import store_of
from tests.trace_drawing import Row, trace_of

LONG = "ampere_sgemm_128x64_tn" + "x" * 10_000
ROWS = [
    Row(Category.CPU_OP, "aten::addmm", 0, 5),
    Row(Category.KERNEL, "ampere_sgemm_128x64_tn", 30, 20, device=0, stream="7"),
    Row(Category.KERNEL, "<b>nobody knows</b>", 60, 1, device=0, stream="7"),
    Row(Category.MEMCPY, "Memcpy HtoD (Pinned -> Device)", 70, 1, device=0, stream="7"),
    Row(Category.KERNEL, LONG, 80, 2, device=0, stream="7"),
]


def test_only_gpu_work_that_the_glossary_knows(tmp_path: Path) -> None:
    human = store_of(trace_of(ROWS), tmp_path / "store").timeline.human_names
    assert human["ampere_sgemm_128x64_tn"] == "Matrix multiply in fp32, without tensor cores"
    assert "Memcpy HtoD (Pinned -> Device)" in human
    assert not {"aten::addmm", "<b>nobody knows</b>"} & set(human)
    assert max(map(len, human)) <= LONGEST_NAME
