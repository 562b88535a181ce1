"""A real TensorBoard on real files, and Debian's Chromium (or the one that CHROMIUM names)."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tb_plugin_explain.demo import (
    address,
    running,
    tensorboard_command,
    wait_until_it_answers,
    write_samples,
)
from tests.browser.tab import Watch

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]

StartTensorBoard = Callable[..., str]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    if not CHROMIUM.exists():
        pytest.fail(f"no browser at {CHROMIUM}: `make test-browser` installs it, or set CHROMIUM")
    return {**browser_type_launch_args, "executable_path": str(CHROMIUM), "args": CHROMIUM_ARGUMENTS}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def start_tensorboard() -> Iterator[StartTensorBoard]:
    """``start_tensorboard(logdir, *arguments)`` gives the address of a TensorBoard that answers.

    It runs as ``tensorboard --logdir`` does by default, with every installed plugin, and ends with the tests.
    """
    with ExitStack() as ends:

        def start(logdir: Path, *arguments: str) -> str:
            port = _free_port()
            command = [*tensorboard_command(logdir, port), *arguments]
            wait_until_it_answers(ends.enter_context(running(command)), port)
            return address(port)

        yield start


@pytest.fixture(scope="session")
def board(start_tensorboard: StartTensorBoard, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a TensorBoard on the sample runs; ``tutorial_64_cold`` is the newest."""
    return start_tensorboard(write_samples(tmp_path_factory.mktemp("samples")))


@pytest.fixture
def watch(page: Page) -> Watch:
    """Collects errors, and requests to other machines, of the test's page."""
    collected = Watch()
    collected.attach(page)
    return collected
