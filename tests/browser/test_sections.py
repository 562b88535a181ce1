"""The details of the Overview and what can be taken away, on a real trace in a real TensorBoard."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.browser.conftest import StartTensorBoard
from tests.browser.tab import Watch, open_explain

pytestmark = pytest.mark.browser

ANALYSED_MS = 60_000
TRACE = "luatil__trace_04.json.gz"


@pytest.fixture(scope="module")
def url(
    start_tensorboard: StartTensorBoard, shared_traces: Path, tmp_path_factory: pytest.TempPathFactory
) -> str:
    logdir = tmp_path_factory.mktemp("sections")
    (logdir / "rtx").mkdir()
    shutil.copyfile(shared_traces / TRACE, logdir / "rtx" / "worker0.1751410836000000000.pt.trace.json.gz")
    return start_tensorboard(logdir)


@pytest.fixture
def explain(page: Page, url: str) -> FrameLocator:
    found = open_explain(page, url)
    expect(found.get_by_label("Verdict").get_by_role("heading")).to_be_visible(timeout=ANALYSED_MS)
    return found


def kernels(explain: FrameLocator) -> Locator:
    explain.get_by_role("button", name=re.compile("^Kernels")).click()
    return explain.locator("#section-kernels")


def column(section: Locator, number: int) -> list[str]:
    return section.locator(f"tbody td:nth-child({number})").all_inner_texts()


def test_sections_are_folded_until_they_are_asked_for(explain: FrameLocator, watch: Watch) -> None:
    heads = explain.locator(".section-head")
    expect(heads).not_to_have_count(0)
    expect(explain.locator(".section table")).to_have_count(0)
    for at in range(heads.count()):
        heads.nth(at).click()
    expect(explain.locator(".section table").first).to_be_visible()
    assert watch.errors == []
    assert watch.outside == []


def test_only_the_inner_area_scrolls_with_all_parts_open(explain: FrameLocator) -> None:
    heads = explain.locator(".section-head")
    expect(heads).not_to_have_count(0)
    for at in range(heads.count()):
        heads.nth(at).click()
    document, window, inner, scroller = explain.locator("main").evaluate(
        "main => [document.scrollingElement.scrollHeight, innerHeight, main.scrollHeight, main.clientHeight]"
    )
    assert document == window
    assert inner > 2 * scroller


def test_a_finding_opened_by_keys_below_the_fold_comes_into_sight(explain: FrameLocator, page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 560})
    explain.locator("main").focus()
    for _ in range(6):
        page.keyboard.press("n")
    page.keyboard.press("Enter")
    head = explain.locator(".finding-head[aria-expanded=true]")
    expect(head).to_be_focused()
    expect(head).to_be_in_viewport()
    body = explain.locator(".finding.open .finding-body")
    assert body.evaluate("body => body.getBoundingClientRect().top + 100 < innerHeight")


def test_a_table_is_sorted_by_mouse_and_by_keys(explain: FrameLocator, page: Page) -> None:
    section = kernels(explain)
    expect(section.locator("tbody tr")).to_have_count(10)
    section.get_by_role("button", name="count").click()
    counts = [int(text.replace(",", "")) for text in column(section, 3)]
    assert counts == sorted(counts, reverse=True)
    expect(section.locator("th[aria-sort=descending]")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(section.locator("th[aria-sort=ascending]")).to_have_count(1)
    assert int(column(section, 3)[0]) <= int(column(section, 3)[-1].replace(",", ""))


def test_a_table_is_filtered_and_shown_whole(explain: FrameLocator) -> None:
    section = kernels(explain)
    section.get_by_role("searchbox").fill("SGEMM")
    expect(section.locator("tbody tr").first).to_contain_text("sgemm")
    assert all("sgemm" in text for text in column(section, 2))
    section.get_by_role("searchbox").fill("nothing of this name")
    expect(section).to_contain_text("No row holds this text.")
    section.get_by_role("searchbox").fill("")
    section.get_by_role("button", name=re.compile("^Show all")).click()
    assert section.locator("tbody tr").count() > 10


def test_a_table_is_copied_whole_as_comma_separated_values(explain: FrameLocator, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    section = kernels(explain)
    section.get_by_role("button", name="Copy as CSV").click()
    expect(section.get_by_role("button", name="Copied")).to_be_visible()
    text = page.evaluate("navigator.clipboard.readText()")
    lines = text.strip().splitlines()
    assert lines[0].startswith("what,kernel,count,time (µs),of GPU work (share of 1)")
    assert len(lines) > 11


def test_a_row_leads_to_its_longest_event_on_the_timeline(
    explain: FrameLocator, page: Page, watch: Watch
) -> None:
    section = kernels(explain)
    name = column(section, 2)[0]
    section.get_by_role("button", name="on the timeline").first.click()
    panel = explain.get_by_role("complementary", name="What is this?")
    expect(panel.locator("pre")).to_contain_text(name, timeout=ANALYSED_MS)
    assert "p.explain.tab=timeline" in page.url
    page.keyboard.press("1")
    explain.get_by_role("button", name=re.compile("^Gaps between")).click()
    gaps = explain.locator("#section-gaps")
    after = column(gaps, 3)[0]
    gaps.get_by_role("button", name="on the timeline").first.click()
    expect(panel.locator("pre")).to_contain_text(after, timeout=ANALYSED_MS)
    expect(explain.get_by_role("img", name=re.compile("^Timeline from"))).to_be_visible()
    assert watch.errors == []


def test_evidence_leads_to_the_timeline(explain: FrameLocator, page: Page) -> None:
    explain.get_by_role("button", name="wait at the end is the profiler").click()
    explain.locator(".lane-spots").get_by_role("button", name="CPU calls").click()
    panel = explain.get_by_role("complementary", name="What is this?")
    expect(panel).to_contain_text("Artefact", timeout=ANALYSED_MS)
    assert "p.explain.ev=" in page.url


def test_the_report_is_exported_in_every_form(explain: FrameLocator, page: Page, watch: Watch) -> None:
    explain.get_by_role("button", name="Export").click()
    texts = {}
    for name, ending in (("Web page", "html"), ("Markdown", "md"), ("JSON", "json")):
        with page.expect_download() as download:
            explain.get_by_role("link", name=name).click()
        assert download.value.suggested_filename == f"worker0.1751410836000000000.report.{ending}"
        texts[ending] = Path(download.value.path()).read_text(encoding="utf-8")
    headline = explain.get_by_label("Verdict").get_by_role("heading").inner_text().replace("\u202f", " ")
    assert json.loads(texts["json"])["headline"]["text"] == headline
    assert headline in texts["html"]
    assert "### Findings" in texts["md"]
    assert watch.errors == []
    assert watch.outside == []


def test_an_exported_page_works_without_a_server(
    explain: FrameLocator, page: Page, tmp_path: Path, watch: Watch
) -> None:
    explain.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        explain.get_by_role("link", name="Web page").click()
    saved = tmp_path / "report.html"
    download.value.save_as(saved)
    page.goto(saved.as_uri())
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("^Steps"))).to_be_visible()
    assert watch.errors == []


def test_the_shown_step_is_downloaded_as_a_trace(explain: FrameLocator, page: Page, watch: Watch) -> None:
    explain.get_by_role("button", name="Export").click()
    with page.expect_download(timeout=ANALYSED_MS) as download:
        explain.get_by_role("button", name=re.compile("^Download step")).click()
    assert download.value.suggested_filename == "worker0.1751410836000000000.step6.json"
    document = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    names = {event.get("name") for event in document["traceEvents"]}
    assert "ProfilerStep#6" in names
    assert "ProfilerStep#5" not in names
    assert watch.errors == []
    assert watch.outside == []


def test_the_link_leads_to_what_is_shown(explain: FrameLocator, page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    explain.locator("#step-4").click()
    explain.get_by_role("button", name="Export").click()
    explain.get_by_role("button", name="Copy link").click()
    expect(explain.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert "p.explain.step=4" in page.url


def test_the_menu_closes_by_escape_and_gives_the_focus_back(explain: FrameLocator, page: Page) -> None:
    button = explain.get_by_role("button", name="Export")
    button.click()
    expect(explain.get_by_role("button", name="Copy link")).to_be_visible()
    page.keyboard.press("Escape")
    expect(explain.get_by_role("button", name="Copy link")).to_have_count(0)
    expect(button).to_be_focused()


def test_perfetto_is_asked_only_when_the_reader_asks(explain: FrameLocator, page: Page, watch: Watch) -> None:
    page.context.route("https://ui.perfetto.dev/**", lambda route: route.fulfill(body=PERFETTO))
    explain.get_by_role("button", name="Export").click()
    assert watch.outside == []
    with page.expect_popup() as popup:
        explain.get_by_role("button", name="Open in Perfetto").click()
    expect(explain.get_by_text("Handed to Perfetto")).to_be_visible(timeout=ANALYSED_MS)
    expect(popup.value.locator("body")).to_contain_text("worker0.1751410836000000000.step6.json")
    expect(popup.value.locator("body")).to_contain_text("ProfilerStep#6")
    assert watch.outside == []


# Answers as Perfetto’s page does, and shows what it was handed.
PERFETTO = """<!doctype html><body><script>
addEventListener("message", (event) => {
  if (event.data === "PING") event.source.postMessage("PONG", "*");
  else if (event.data.perfetto) {
    const { title, buffer } = event.data.perfetto;
    document.body.append(title, new TextDecoder().decode(buffer).match(/ProfilerStep#\\d+/)[0]);
  }
});
</script>"""


def test_ranks_are_told_together(
    page: Page,
    start_tensorboard: StartTensorBoard,
    shared_traces: Path,
    tmp_path: Path,
    watch: Watch,
) -> None:
    (tmp_path / "ddp").mkdir()
    for rank in range(4):
        trace = shared_traces / f"astrasim__megatron_kineto_{rank}.json.gz"
        shutil.copyfile(trace, tmp_path / "ddp" / f"rank{rank}.1751410836000000000.pt.trace.json.gz")
    found = open_explain(page, start_tensorboard(tmp_path))
    expect(found.get_by_label("Verdict").get_by_role("heading")).to_be_visible(timeout=ANALYSED_MS)
    found.get_by_role("button", name=re.compile("^Communication")).click()
    section = found.locator("#section-communication")
    expect(section).to_contain_text("84 collectives in step 3", timeout=ANALYSED_MS)
    ranks = section.get_by_role("region", name="Ranks").get_by_role("row")
    expect(ranks).to_have_count(5)
    expect(ranks.nth(1)).to_contain_text("0, this file")
    expect(section.get_by_role("region", name="Communication").get_by_role("row").nth(1)).to_contain_text(
        "all_reduce"
    )
    assert (watch.errors, watch.outside) == ([], [])
