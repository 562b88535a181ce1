"""Pairs of real traces, read once for all tests."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from tb_plugin_explain.comparison.pair import Pair
from tests.comparison.sides import pair_of_files

PAIRS = {
    "samfast": (
        "samfast__2023-10-18_9a7a088f5dc1_asdf_False.json.gz",
        "samfast__2023-10-18_9a7a088f5dc1_asdf_True.json.gz",
    ),
    "luatil": ("luatil__trace_04.json.gz", "luatil__trace_05.json.gz"),
    "hta": ("hta__trace_compare_base_base.json.gz", "hta__trace_compare_test_test.json.gz"),
    "kineto": (
        "kineto__2026-04-02_docs__traces__before_fix_trace.json.gz",
        "kineto__2026-04-02_docs__traces__after_fix_trace.json.gz",
    ),
    "megatron": ("astrasim__megatron_kineto_0.json.gz", "astrasim__megatron_kineto_1.json.gz"),
    **{
        model: (f"tracelens__h100__{model}.json.gz", f"tracelens__mi300__{model}.json.gz")
        for model in (
            "Qwen_Qwen1.5-0.5B-Chat__1016005",
            "gaunernst_bert-small-uncased__1016001",
            "google_owlv2-large-patch14-ensemble__1016001",
        )
    },
}


@lru_cache(maxsize=1)
def real_pair(traces: Path, name: str) -> Pair:
    """One of ``PAIRS``."""
    baseline, candidate = PAIRS[name]
    return pair_of_files(traces / baseline, traces / candidate)
