"""What analysis processes are asked to do: ``module:function`` of ``workers``."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from tb_plugin_explain.plugin.room import NOWHERE, make_room, write_with_room
from tb_plugin_explain.plugin.worker_process import Finished, NotKept
from tb_plugin_explain.report import explain_run
from tb_plugin_explain.step_analyses import RunAnalyses
from tb_plugin_explain.timeline.basis import basis_of
from tb_plugin_explain.timeline.build import build_timeline
from tb_plugin_explain.timeline.store import write_store
from tb_plugin_explain.trace.arguments import read_args
from tb_plugin_explain.trace.reader import read_trace
from tb_plugin_explain.trace.scan import ChunkIndex
from tb_plugin_explain.wire import to_json

OnProgress = Callable[[str, float | None], None]

_MOST_ARGUMENTS = 200
_LONGEST_VALUE = 4096


class Argument(Struct, frozen=True):
    """One of an event's arguments as text; ``whole``: whether the text is all of it."""

    name: str
    value: str
    whole: bool


class Arguments(Struct, frozen=True):
    """The arguments of an event, and how many more it has."""

    event: int
    arguments: list[Argument]
    left_out: int


def explain_file(
    path: str, run: str | None, worker: str | None, span: str | None, on_progress: OnProgress, store: str
) -> Finished:
    """The report of one file; then its timeline is written as the directory ``store``."""
    trace = read_trace(path, lambda share: on_progress("reading", share))
    on_progress("analysing", None)
    analyses = RunAnalyses(trace)
    report = explain_run(analyses, run, worker, span)

    def keep_timeline() -> None:
        nonlocal analyses
        on_progress("timeline", None)
        basis = basis_of(analyses)
        # Most of them is needed no more. Their parts know each other, and go only when looked for.
        del analyses
        gc.collect()
        built = build_timeline(basis, report.findings)
        directory, timeline = Path(store), to_json(built.timeline)
        root = directory.parents[1]
        try:
            write_with_room(root, lambda: write_store(directory, timeline, built.columns))
        except OSError as error:
            raise NotKept(_not_kept(Path(path).name, root, error)) from error
        make_room(root)

    return Finished(report, keep_timeline)


def _not_kept(file: str, root: Path, error: OSError) -> str:
    if root == NOWHERE:
        why = "no temporary directory could be made"
        advice = "set TMPDIR, or --explain_cache_dir, to a directory that may be written."
    else:
        why = error.strerror or str(error)
        advice = "free some disk space, or give --explain_cache_dir another directory."
    return f"The timeline of {file} could not be written ({why}): {advice}"


def event_arguments(
    path: str,
    on_progress: OnProgress,
    event: int,
    version: tuple[int, int, int],
    batch: tuple[int, int, int],
) -> Arguments:
    """The arguments of one event, read from the file.

    version: of the file (see ``trace.arguments``). batch: first ordinal, first byte and last byte + 1
    of the batch that holds the event.
    """
    on_progress("reading", None)
    first, begin, end = batch
    inode, size, modified_ns = version
    args = read_args(path, (inode, size, modified_ns), ChunkIndex([first], [begin, end]), event)
    shown = [_argument(name, value) for name, value in list(args.items())[:_MOST_ARGUMENTS]]
    return Arguments(event, shown, max(len(args) - _MOST_ARGUMENTS, 0))


def _argument(name: str, value: Any) -> Argument:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return Argument(name[:_LONGEST_VALUE], text[:_LONGEST_VALUE], len(text) <= _LONGEST_VALUE)
