"""The screens beside the first one, as a browser test opens them."""

from __future__ import annotations

import json
import time
import urllib.request
from typing import Any
from urllib.parse import quote

from playwright.sync_api import FrameLocator, Page

from tests.browser.tab import FRAME

ANSWERED_MS = 60_000


def _ask(url: str, route: str) -> Any:
    with urllib.request.urlopen(f"{url}data/plugin/explain/{route}") as answer:
        return json.load(answer)


def newest_files(url: str) -> dict[str, str]:
    """The id of each run's newest file, once the first scan has ended."""
    deadline = time.monotonic() + 20
    while not (listed := _ask(url, "runs"))["scanned"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return {run["name"]: run["files"][0]["id"] for run in listed["runs"]}


def open_screen(page: Page, url: str, run: str, **place: str) -> FrameLocator:
    """TensorBoard on a link to a run's newest file; ``place`` are further keys of the address."""
    keys = {"run": run, "file": newest_files(url)[run], **place}
    state = "&".join(f"p.explain.{key}={quote(value)}" for key, value in keys.items())
    page.goto(f"{url}#explain&{state}")
    page.locator(FRAME).wait_for()
    return page.frame_locator(FRAME)


def place_of(page: Page) -> str:
    """The address as it is now, decoded."""
    address: str = page.evaluate("decodeURIComponent(location.hash)")
    return address
