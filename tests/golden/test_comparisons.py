"""What pairs of runs are told, as it was when somebody last checked it against the events.

The whole text; of real traces, which are not in the repository, the verdict, figures, groups and findings
beside it. Names of operators and kernels stay, lines of the authors' source code do not.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from tb_plugin_explain.compare_text import print_comparison
from tb_plugin_explain.comparison.build import Source, compare, compare_paths
from tb_plugin_explain.comparison_schema import Comparison, FusionGroup
from tests.case_files import CASES
from tests.comparison.real_pairs import PAIRS, real_pair
from tests.golden.conftest import Golden
from tests.golden.test_real_findings import SOURCE_LINE, finding_of, source_of

REVIEWED = Path(__file__).parent / "real_pairs"
RECORDINGS = Path(__file__).parent.parent / "samples" / "compare"
# The first groups hold nearly all of the time.
MOST_GROUPS = 25
OURS = {
    "tutorial": (
        CASES / "T02-tutorial-4096-pair" / "eager",
        CASES / "T02-tutorial-4096-pair" / "compiled",
    ),
    "classifier": (RECORDINGS / "classifier_eager", RECORDINGS / "classifier_compiled"),
    "classifier_back": (RECORDINGS / "classifier_compiled", RECORDINGS / "classifier_eager"),
    "classifier_graph_break": (RECORDINGS / "classifier_eager", RECORDINGS / "classifier_graph_break"),
    "classifier_kernel_events": (RECORDINGS / "classifier_eager", RECORDINGS / "classifier_kernel_events"),
    "classifier_shapes": (RECORDINGS / "classifier_eager_shapes", RECORDINGS / "classifier_compiled_shapes"),
    "classifier_modes": (RECORDINGS / "classifier_eager", RECORDINGS / "classifier_compiled_shapes"),
    "recompiled": (RECORDINGS / "classifier_eager", RECORDINGS / "small_classifier_recompiled"),
    "transformer": (RECORDINGS / "transformer_eager", RECORDINGS / "transformer_compiled"),
    "transformer_graph_break": (
        RECORDINGS / "transformer_eager",
        RECORDINGS / "transformer_graph_break",
    ),
    "transformer_recompiled": (RECORDINGS / "transformer_eager", RECORDINGS / "transformer_recompiled"),
    "transformer_reduce_overhead": (
        RECORDINGS / "transformer_compiled",
        RECORDINGS / "transformer_reduce_overhead",
    ),
}


def the_file_in(folder: Path) -> Source:
    (path,) = folder.glob("*.json*")
    return Source(str(path), folder.name)


def text_of(comparison: Comparison) -> str:
    stream = io.StringIO()
    print_comparison(comparison, Console(file=stream, width=110, highlight=False))
    return stream.getvalue()


@pytest.mark.parametrize("name", OURS)
def test_what_our_own_pairs_are_told(name: str, golden: Golden) -> None:
    baseline, candidate = OURS[name]
    comparison = compare_paths(the_file_in(baseline), the_file_in(candidate))
    golden(f"compare_{name}.txt", text_of(comparison))


def group_of(group: FusionGroup) -> dict[str, Any]:
    return {
        "kind": group.kind,
        "title": group.title,
        "baseline": [group.baseline.events, group.baseline.time_us],
        "candidate": [group.candidate.events, group.candidate.time_us],
        "confidence": group.confidence,
    }


def review_of(comparison: Comparison, sources: list[str]) -> dict[str, Any]:
    """What a reader is told of a pair."""
    facts = comparison.compile and msgspec.to_builtins(comparison.compile)
    for cut in facts["breaks"] if facts else ():
        cut["where"] = cut["where"] and "<line>"
    return {
        "sources": sources,
        "headline": msgspec.to_builtins(comparison.headline),
        "steps": msgspec.to_builtins(comparison.steps),
        "deltas": {d.metric: [d.baseline, d.candidate, d.interval] for d in comparison.deltas},
        "totals": [msgspec.to_builtins(total) for total in comparison.group_summary.totals],
        "groups": [group_of(group) for group in comparison.groups[:MOST_GROUPS]],
        "unattributed_share": comparison.group_summary.unattributed_share,
        "compile": facts,
        "warnings": [warning.message for warning in comparison.warnings],
        "findings": [finding_of(finding) for finding in comparison.findings],
    }


@pytest.mark.parametrize("name", PAIRS)
def test_what_real_pairs_are_told(name: str, shared_traces: Path, request: pytest.FixtureRequest) -> None:
    comparison = compare(*real_pair(shared_traces, name).sides)
    sources = [source_of(shared_traces / file) for file in PAIRS[name]]
    found = json.loads(json.dumps(review_of(comparison, sources), ensure_ascii=False))
    found["text"] = SOURCE_LINE.sub("<line>", text_of(comparison)).splitlines()
    golden = REVIEWED / f"{name}.json"
    if request.config.getoption("--update-golden", default=False):
        golden.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert json.loads(golden.read_text(encoding="utf-8")) == found
