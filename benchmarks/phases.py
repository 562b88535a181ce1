"""Where the time of one report goes, in a process that does nothing else.

python benchmarks/phases.py TRACE            # JSON: seconds of CPU by phase
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


@contextmanager
def timed(phase: str, into: dict[str, float]) -> Iterator[None]:
    began = time.process_time()
    yield
    into[phase] = time.process_time() - began


def phases(path: str) -> dict[str, float]:
    """Seconds of CPU of importing, reading, explaining and writing JSON."""
    spent: dict[str, float] = {}
    with timed("importing", spent):
        from tb_plugin_explain.process import prepare_process

        prepare_process()
        from tb_plugin_explain.report import explain_run
        from tb_plugin_explain.step_analyses import RunAnalyses
        from tb_plugin_explain.trace.reader import read_trace
        from tb_plugin_explain.wire import to_json
    with timed("reading", spent):
        trace = read_trace(path)
    with timed("explaining", spent):
        report = explain_run(RunAnalyses(trace))
    with timed("writing JSON", spent):
        to_json(report)
    return spent


if __name__ == "__main__":
    json.dump(phases(sys.argv[1]), sys.stdout)
