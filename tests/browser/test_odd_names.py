"""Names as files may have them, on every screen: HTML, 10,000 characters, right to left, emoji."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.browser.conftest import StartTensorBoard
from tests.browser.screens import ANSWERED_MS, newest_files, open_screen
from tests.browser.tab import Watch

pytestmark = pytest.mark.browser

EAGER = Path(__file__).resolve().parents[1] / "samples" / "cases" / "T02-tutorial-4096-pair" / "eager"
HTML = '<img src=x onerror="window.__explain_xss=1"><script>window.__explain_xss=1</script>'
LONG = "very_long_kernel_" + "x" * 10_000
RIGHT_TO_LEFT = "\u202eמכפלה של מטריצות\u202c ضرب المصفوفات"
EMOJI = "🚀🔥 семь 七 👩‍👩‍👧‍👦 kernel"
ODD = (HTML, LONG, RIGHT_TO_LEFT, EMOJI)


def _renamed(events: list[dict[str, Any]]) -> None:
    """Gives operators and annotations an odd name each, and kernels all of them in turn."""
    odd: dict[str, str] = {}
    kernels = 0
    for event in events:
        key = event["name"]
        if event.get("cat") == "kernel":
            event["name"] = ODD[kernels % len(ODD)]
            kernels += 1
        elif event.get("cat") in ("cpu_op", "user_annotation") and "ProfilerStep" not in key:
            event["name"] = odd.setdefault(key, ODD[len(odd) % len(ODD)])


@pytest.fixture(scope="module")
def odd(start_tensorboard: StartTensorBoard, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A TensorBoard on the tutorial's run as it is, and with odd names."""
    logdir = tmp_path_factory.mktemp("odd")
    shutil.copytree(EAGER, logdir / "eager")
    [trace] = EAGER.iterdir()
    document = json.loads(trace.read_text(encoding="utf-8"))
    _renamed(document["traceEvents"])
    run = logdir / "a <b>run< שלום 🚀"
    run.mkdir()
    text = json.dumps(document, ensure_ascii=False)
    (run / trace.name).write_text(text, encoding="utf-8")
    return start_tensorboard(logdir)


@pytest.fixture
def run(odd: str) -> str:
    return next(name for name in newest_files(odd) if name != "eager")


def check(explain: FrameLocator, watch: Watch) -> None:
    """Names are text; nothing of them is run, and nothing pushes the page wider than its window."""
    body = explain.locator("body")
    assert body.evaluate("() => typeof window.__explain_xss") == "undefined"
    assert explain.locator("img, script[src='x']").count() == 0
    assert "NaN" not in body.inner_text()
    wide = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert body.evaluate(wide) <= 0
    assert (watch.errors, watch.outside) == ([], [])


@pytest.mark.parametrize("width", [1000, 1400])
def test_the_overview_and_all_its_details(page: Page, odd: str, run: str, watch: Watch, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    explain = open_screen(page, odd, run)
    expect(explain.get_by_label("Verdict").get_by_role("heading")).to_be_visible(timeout=ANSWERED_MS)
    expect(explain.locator(".section-head").first).to_be_visible()
    for head in explain.locator(".section-head").all():
        head.click()
    for finding in explain.locator(".finding-head").all():
        finding.click()
    operators = explain.locator("#section-operators")
    for name in (HTML, LONG, RIGHT_TO_LEFT, EMOJI):
        expect(explain.locator(".section").get_by_text(name[:300]).first).to_be_attached()
    operators.get_by_role("button", name="Full names").click()
    check(explain, watch)


def test_the_timeline_its_panel_table_and_search(page: Page, odd: str, run: str, watch: Watch) -> None:
    page.set_viewport_size({"width": 1400, "height": 960})
    explain = open_screen(page, odd, run, tab="timeline")
    expect(explain.get_by_role("img", name=re.compile("^Timeline from"))).to_be_visible(timeout=ANSWERED_MS)
    panel = explain.get_by_role("complementary", name="What is this?")
    field = explain.get_by_role("searchbox", name="Search names on the timeline")
    for name in ODD:
        page.keyboard.press("/")
        field.fill(name[:40])
        found = explain.get_by_role("region", name="Names found").get_by_role("button").first
        expect(found).to_contain_text(name[:100])
        found.click()
        expect(panel.locator("pre")).to_contain_text(name[:9_000])
        check(explain, watch)
        page.keyboard.press("Escape")
        explain.get_by_role("img", name=re.compile("^Timeline from")).focus()
    page.keyboard.press("v")
    expect(explain.get_by_role("region", name="Events in view, as a table")).to_be_visible()
    expect(explain.get_by_label("In view", exact=True)).to_be_visible()
    check(explain, watch)


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_a_comparison_with_both_timelines(page: Page, odd: str, run: str, watch: Watch, side: str) -> None:
    other = newest_files(odd)["eager"]
    explain = open_screen(page, odd, run, tab="compare", cmp=other, side=side)
    expect(explain.get_by_label("Verdict").get_by_role("heading")).to_be_visible(timeout=ANSWERED_MS)
    for group in explain.locator(".group button").all():
        group.click()
    explain.get_by_label("Both timelines", exact=True).scroll_into_view_if_needed()
    drawings = explain.get_by_role("img", name=re.compile("timeline from"))
    expect(drawings).to_have_count(2, timeout=ANSWERED_MS)
    for drawing in drawings.all():
        drawing.focus()
        page.wait_for_timeout(500)
        page.keyboard.press("ArrowDown")
    expect(explain.get_by_text("after the start")).to_have_count(2)
    check(explain, watch)


def test_learn_and_its_glossary(page: Page, odd: str, run: str, watch: Watch) -> None:
    explain = open_screen(page, odd, run, tab="learn")
    expect(explain.locator(".entry").first).to_be_visible(timeout=ANSWERED_MS)
    for head in explain.locator(".question-head").all():
        head.click()
    for name in ODD:
        explain.get_by_role("searchbox", name="Search what this trace contains").fill(name[:30].split()[0])
        expect(explain.locator(".entry").first).to_contain_text(name[:60])
    check(explain, watch)
