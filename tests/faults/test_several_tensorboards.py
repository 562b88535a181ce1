"""Several TensorBoards on one log directory and one cache: each answers, none spoils what another keeps."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from tb_plugin_explain.timeline.store import UNFINISHED_PREFIX, open_store
from tests.faults.cache_tabs import write_trace
from tests.faults.servers import serving, settled
from tests.plugin.real_tensorboard import Server

ROUTES = ("report?file={}", "timeline?file={}", "names?file={}", "slice?file={}&step=1")
SERVERS, TRACES = 3, 3


def answers_of(server: Server) -> dict[str, str]:
    """What each route says of each file, in one order on every server."""
    return {
        f"{name} {route}": json.dumps(settled(server, route.format(file_id)))
        for name, file_id in sorted(server.files().items())
        for route in ROUTES
    }


def test_several_tensorboards_share_a_log_directory_and_a_cache(tmp_path: Path) -> None:
    logdir, cache = tmp_path / "runs", tmp_path / "cache"
    for number in range(TRACES):
        write_trace(logdir / f"run{number}" / "trace.json", 1, 2 + number)
    arguments = ("--logdir", logdir, "--explain_cache_dir", cache)
    with ExitStack() as running:
        with ThreadPoolExecutor(SERVERS) as pool:
            scratches = [tmp_path / f"server{number}" for number in range(SERVERS)]
            for scratch in scratches:
                scratch.mkdir()
            servers = list(pool.map(lambda s: running.enter_context(serving(s, *arguments)), scratches))
            first, *others = pool.map(answers_of, servers)
        assert [answers == first for answers in others] == [True] * len(others)
        # Ids are the same everywhere, so that a link to a file is good on each.
        assert len({json.dumps(server.files()) for server in servers}) == 1
        # One that ends takes nothing along.
        servers[0].stop()
        assert answers_of(servers[1]) == first
    # One that ended while it wrote may have left something unfinished; what has its name is whole.
    stores = [path for path in (cache / "timelines").iterdir() if not path.name.startswith(UNFINISHED_PREFIX)]
    assert len([open_store(path) for path in stores]) == TRACES
