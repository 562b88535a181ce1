"""Which file of one run is compared with which of another: worker with worker."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence

from tb_plugin_explain.comparison.build import Source
from tb_plugin_explain.comparison_schema import UnpairedFile
from tb_plugin_explain.runs import files_of_run, rank_of, split_name

SourcePair = tuple[Source, Source]


def sources_of(path: str) -> Sequence[Source]:
    """A trace file, or of a run directory the newest file of each worker, each with its run’s name.

    Raises:
        UsageError: the directory holds no trace itself.
    """
    if not os.path.isdir(path):
        worker, span = split_name(os.path.basename(path))
        return [Source(path, os.path.basename(os.path.dirname(os.path.abspath(path))), worker, span)]
    newest: dict[str, Source] = {}
    for file in files_of_run(path):
        newest.setdefault(file.worker, Source(file.path, file.run, file.worker, file.span))
    return list(newest.values())


def pair_workers(
    baseline: Sequence[Source], candidate: Sequence[Source]
) -> tuple[Sequence[SourcePair], Sequence[UnpairedFile]]:
    """Workers of one name together, else of one rank; where each side has one worker only, these.

    Also gives the files without a counterpart. Pairs stand in the order of the baseline.
    """
    if len(baseline) == len(candidate) == 1:
        return [(baseline[0], candidate[0])], []
    partner: dict[str, Source] = {}
    for identity in (_worker, _rank):
        taken = {source.path for source in partner.values()}
        free = _unique([s for s in candidate if s.path not in taken], identity)
        waiting = _unique([s for s in baseline if s.path not in partner], identity)
        partner |= {source.path: free[name] for name, source in waiting.items() if name in free}
    taken = {source.path for source in partner.values()}
    unpaired = [_unpaired_baseline(s) for s in baseline if s.path not in partner]
    unpaired += [_unpaired_candidate(s) for s in candidate if s.path not in taken]
    return [(s, partner[s.path]) for s in baseline if s.path in partner], unpaired


def _worker(source: Source) -> str | None:
    return source.worker


def _rank(source: Source) -> int | None:
    return None if source.worker is None else rank_of(source.worker)


def _unique(
    sources: Sequence[Source], identity: Callable[[Source], Hashable | None]
) -> dict[Hashable, Source]:
    """The sources by an identity that they have and share with no other."""
    found: dict[Hashable, list[Source]] = {}
    for source in sources:
        found.setdefault(identity(source), []).append(source)
    return {name: same[0] for name, same in found.items() if name is not None and len(same) == 1}


def _unpaired_baseline(source: Source) -> UnpairedFile:
    return UnpairedFile("baseline", os.path.basename(source.path), source.worker)


def _unpaired_candidate(source: Source) -> UnpairedFile:
    return UnpairedFile("candidate", os.path.basename(source.path), source.worker)
