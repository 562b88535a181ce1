"""Which worker is compared with which."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tb_plugin_explain.comparison.build import Source
from tb_plugin_explain.errors import UsageError
from tb_plugin_explain.run_pairs import pair_workers, sources_of
from tests.case_files import CASES

GOOD = CASES / "B05-truncated-mid-string" / "good.1700000000002.pt.trace.json"


def sources(directory: str, *workers: str) -> list[Source]:
    return [Source(f"{directory}/{w}.pt.trace.json", directory, w, None) for w in workers]


@pytest.mark.parametrize(
    ("baseline", "candidate", "pairs", "alone"),
    [
        # The only worker of each side, whatever its name.
        (["host_1"], ["host_2"], [("host_1", "host_2")], []),
        (["rank0"], ["rank1"], [("rank0", "rank1")], []),
        # By name.
        (["a", "b"], ["b", "a"], [("a", "a"), ("b", "b")], []),
        (["a", "b"], ["b"], [("b", "b")], ["baseline a"]),
        (["a"], ["a", "b"], [("a", "a")], ["candidate b"]),
        # By rank, where the name is another.
        (
            ["x.rank0", "x.rank1"],
            ["y.rank1", "y.rank0"],
            [("x.rank0", "y.rank0"), ("x.rank1", "y.rank1")],
            [],
        ),
        (["rank0", "x.rank1"], ["rank0", "y.rank1"], [("rank0", "rank0"), ("x.rank1", "y.rank1")], []),
        # A rank that two workers have tells nothing.
        (["x.rank0", "y.rank0"], ["z.rank0", "rank1"], [], None),
        # What remains on each side is no pair: the two may be anything.
        (["a", "x"], ["a", "y"], [("a", "a")], ["baseline x", "candidate y"]),
        (["a"], ["x", "y"], [], None),
    ],
)
def test_by_name_then_by_rank_then_the_only_ones(
    baseline: Sequence[str],
    candidate: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    alone: Sequence[str] | None,
) -> None:
    found, unpaired = pair_workers(sources("eager", *baseline), sources("compiled", *candidate))
    assert [(a.worker, b.worker) for a, b in found] == pairs
    assert all((a.run, b.run) == ("eager", "compiled") for a, b in found)
    everything = [f"baseline {w}" for w in baseline] + [f"candidate {w}" for w in candidate]
    assert [f"{u.side} {u.worker}" for u in unpaired] == (everything if alone is None else alone)
    assert len(unpaired) + 2 * len(found) == len(everything)


def test_of_a_directory_the_newest_file_of_each_worker(tmp_path: Path) -> None:
    for name in ("rank0.1700000000001", "rank0.1700000009999", "rank1.1700000000001"):
        shutil.copy(GOOD, tmp_path / f"{name}.pt.trace.json")
    found = sources_of(str(tmp_path))
    assert {s.worker: s.span for s in found} == {"rank0": "1700000009999", "rank1": "1700000000001"}
    assert {s.run for s in found} == {tmp_path.name}


def test_a_file_has_the_name_of_its_directory_as_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("any name.json", os.path.join(str(tmp_path), "any name.json")):
        assert sources_of(path) == [Source(path, tmp_path.name, "any name", None)]


def test_a_directory_without_traces(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no trace"):
        sources_of(str(tmp_path))
