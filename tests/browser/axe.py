"""axe-core on the tab: what a screen reader, or an eye that sees less contrast, would stumble over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

AXE = Path(__file__).resolve().parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
# The rest of its findings is advice: `minor`.
COUNTED = {"moderate", "serious", "critical"}
RUN = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations"""


def _line(violation: dict[str, Any]) -> str:
    nodes = violation["nodes"]
    first = nodes[0]
    said = (first["failureSummary"] or "").replace("\n", " ")
    return (
        f"{violation['impact']} {violation['id']}: {violation['help']} "
        f"({len(nodes)} ×; {first['html'][:200]}; {said[:300]})"
    )


def violations(page: Page) -> list[str]:
    """What axe-core objects to on the tab as it is shown now, a line each."""
    if not AXE.exists():
        pytest.fail(f"no {AXE.name}: `npm --prefix frontend ci` installs it")
    frame = next(frame for frame in page.frames if "name=explain" in frame.url)
    frame.evaluate(AXE.read_text(encoding="utf-8"))
    found = frame.evaluate(RUN)
    return [_line(violation) for violation in found if violation["impact"] in COUNTED]
