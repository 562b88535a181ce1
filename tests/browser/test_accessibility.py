"""Every screen in both themes, as axe-core judges it: names, roles, order and contrast."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import StartTensorBoard
from tests.browser.screens import ANSWERED_MS, newest_files, open_screen
from tests.browser.tab import FRAME

pytestmark = [pytest.mark.browser, pytest.mark.parametrize("theme", ["light", "dark"])]

SAMPLES = Path(__file__).resolve().parents[1] / "samples" / "cases"
NEWEST = "tutorial_64_cold"


def open_ready(page: Page, url: str, run: str, **place: str) -> FrameLocator:
    """The Overview of a run, its report shown."""
    explain = open_screen(page, url, run, **place)
    expect(explain.get_by_label("Verdict").get_by_role("heading")).to_be_visible(timeout=ANSWERED_MS)
    return explain


@pytest.mark.parametrize("run", ["tutorial_4096_eager", NEWEST])
def test_the_overview_with_all_of_it_open(page: Page, board: str, theme: str, run: str) -> None:
    explain = open_ready(page, board, run, theme=theme)
    explain.locator(".finding-head").first.click()
    expect(explain.locator(".section-head").first).to_be_visible()
    for head in explain.locator(".section-head").all():
        head.click()
    for summary in explain.locator("main summary").all():
        summary.click()
    expect(explain.locator(".section.open table").last).to_be_visible()
    assert violations(page) == []


def test_the_menu_and_the_help(page: Page, board: str, theme: str) -> None:
    explain = open_ready(page, board, NEWEST, theme=theme)
    explain.get_by_role("button", name="Export").click()
    expect(explain.get_by_role("button", name="Copy link")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    words = explain.get_by_role("dialog", name="Keys and words")
    expect(words).to_contain_text(re.compile(r"Explain \d+\.\d+\.\d+\. Traces are read with "))
    assert violations(page) == []


def test_the_timeline_with_an_event_and_its_table(page: Page, board: str, theme: str) -> None:
    page.set_viewport_size({"width": 1400, "height": 960})
    explain = open_screen(page, board, NEWEST, theme=theme, tab="timeline")
    canvas = explain.get_by_role("img", name=re.compile("Timeline from"))
    expect(canvas).to_be_visible(timeout=ANSWERED_MS)
    panel = explain.get_by_role("complementary", name="What is this?")
    expect(explain.get_by_label("In view", exact=True)).to_be_visible()
    assert violations(page) == []
    page.wait_for_timeout(500)
    page.keyboard.press("ArrowDown")
    expect(panel.get_by_role("heading", level=2)).to_be_visible()
    page.keyboard.press("v")
    expect(explain.get_by_role("region", name="Events in view, as a table")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("a")
    expect(explain.get_by_role("region", name="Names found").get_by_role("button").first).to_be_visible()
    assert violations(page) == []


def test_the_comparison_with_a_group_open(page: Page, board: str, theme: str) -> None:
    files = newest_files(board)
    run, other = "tutorial_4096_compiled", "tutorial_4096_eager"
    explain = open_screen(page, board, run, theme=theme, tab="compare", cmp=files[other])
    expect(explain.get_by_label("Verdict").get_by_role("heading")).to_be_visible(timeout=ANSWERED_MS)
    explain.locator(".group button").first.click()
    explain.locator(".finding-head").first.click()
    explain.get_by_label("Both timelines", exact=True).scroll_into_view_if_needed()
    drawings = explain.get_by_role("img", name=re.compile("timeline from"))
    expect(drawings).to_have_count(2, timeout=ANSWERED_MS)
    assert violations(page) == []


def test_the_choice_of_what_to_compare_with(page: Page, board: str, theme: str) -> None:
    explain = open_screen(page, board, NEWEST, theme=theme, tab="compare")
    expect(explain.get_by_text("Compare this file with which other one?")).to_be_visible(timeout=ANSWERED_MS)
    assert violations(page) == []


def test_learn_with_an_answer_and_an_entry_open(page: Page, board: str, theme: str) -> None:
    explain = open_screen(page, board, NEWEST, theme=theme, tab="learn")
    entry = explain.locator(".entry").first
    expect(entry).to_be_visible(timeout=ANSWERED_MS)
    entry.locator("summary").click()
    explain.locator(".question-head").first.click()
    assert violations(page) == []


def test_what_is_shown_without_a_report(
    page: Page, start_tensorboard: StartTensorBoard, tmp_path: Path, theme: str
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "worker0.1.pt.trace.json").write_text('{"traceEvents": [{"ph": "X", nope}]}')
    (tmp_path / "no_steps").mkdir()
    shutil.copyfile(SAMPLES / "B15-no-profilerstep.json", tmp_path / "no_steps" / "trace.json")
    url = start_tensorboard(tmp_path)
    explain = open_screen(page, url, "broken", theme=theme)
    expect(explain.get_by_text("line 1 column").first).to_be_visible(timeout=ANSWERED_MS)
    assert violations(page) == []
    open_ready(page, url, "no_steps", theme=theme)
    assert violations(page) == []
    empty = start_tensorboard(tmp_path / "broken" / "nothing")
    page.goto(f"{empty}#explain&p.explain.theme={theme}")
    expect(page.frame_locator(FRAME).get_by_text("tensorboard_trace_handler").first).to_be_visible()
    assert violations(page) == []
