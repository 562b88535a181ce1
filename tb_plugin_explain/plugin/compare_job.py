"""The job that compares two files, as an analysis process does it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tb_plugin_explain.comparison.build import Progress, Source, compare_paths
from tb_plugin_explain.comparison_schema import Comparison


def compare_files(
    baseline: Mapping[str, Any], candidate: Mapping[str, Any], on_progress: Progress
) -> Comparison:
    """Compares two files; each side has the fields of ``Source``.

    Raises:
        TraceError: a file is no trace, or too damaged to be read.
    """
    return compare_paths(Source(**baseline), Source(**candidate), on_progress)
