"""The Explain tab as a browser test handles it."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, FrameLocator, Page, Request

TAB = '[data-plugin-id="explain"]'
STOCK_TAB = '[data-plugin-id="pytorch_profiler"]'
FRAME = "iframe[src*='name=explain']"


def open_explain(page: Page, url: str) -> FrameLocator:
    """Opens TensorBoard at ``url`` on the Explain tab; gives the tab's own page."""
    page.goto(f"{url}#explain")
    page.locator(FRAME).wait_for()
    return page.frame_locator(FRAME)


@dataclass
class Watch:
    """What a page should never do: log an error, throw, or ask anyone but this machine."""

    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    def attach(self, page: Page) -> None:
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._on_request)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location.get('url')})")

    def _on_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in {"data", "blob", "about"} and parts.hostname != "127.0.0.1":
            self.outside.append(request.url)
