"""The tab stands beside the stock one, and its page comes up without help from outside."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.tab import STOCK_TAB, TAB, Watch, open_explain

pytestmark = pytest.mark.browser


def test_the_tab_stands_beside_the_stock_one(page: Page, board: str) -> None:
    page.goto(board)
    expect(page.locator(TAB)).to_be_visible()
    expect(page.locator(TAB)).to_have_text("Explain", ignore_case=True)
    expect(page.locator(STOCK_TAB)).to_be_visible()


def test_the_page_draws_itself_offline(page: Page, board: str, watch: Watch) -> None:
    explain = open_explain(page, board)
    runs = explain.get_by_role("combobox", name="Run")
    expect(runs).to_be_visible()
    expect(runs.locator("option:checked")).to_have_text("tutorial_64_cold")
    expect(runs.locator("option", has_text="mlp_eager")).to_be_attached()
    assert watch.errors == []
    assert watch.outside == []
