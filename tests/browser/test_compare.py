"""The Compare screen in a real TensorBoard: our sample pairs, real traces, and files that are broken."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.browser.conftest import StartTensorBoard
from tests.browser.screens import ANSWERED_MS, newest_files, open_screen, place_of
from tests.browser.tab import STOCK_TAB, TAB, Watch

pytestmark = pytest.mark.browser

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
T02 = SAMPLES / "cases" / "T02-tutorial-4096-pair"
HOSTILE = SAMPLES / "cases" / "B65-html-in-kernel-names.json"


def _copy(file: Path, directory: Path, name: str) -> None:
    directory.mkdir()
    shutil.copyfile(file, directory / name)


@pytest.fixture(scope="module")
def pairs(start_tensorboard: StartTensorBoard, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The tutorial's pair, a pair without a GPU, a run with hostile names and one that is broken."""
    logdir = tmp_path_factory.mktemp("pairs")
    for run in ("eager", "compiled"):
        shutil.copytree(T02 / run, logdir / run)
    for run in ("classifier_eager", "classifier_compiled"):
        shutil.copytree(SAMPLES / "compare" / run, logdir / run)
    _copy(HOSTILE, logdir / "hostile", "<img src=x onerror=window.__explain_xss=1> trace.json")
    _copy(SAMPLES / "cases" / "B15-no-profilerstep.json", logdir / "no_steps", "trace.json")
    (logdir / "broken").mkdir()
    (logdir / "broken" / "worker0.1.pt.trace.json").write_text('{"traceEvents": [{"ph": "X", nope}]}')
    return start_tensorboard(logdir)


@pytest.fixture(scope="module")
def real(
    start_tensorboard: StartTensorBoard, shared_traces: Path, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The same model with compiled code, without and with CUDA graphs."""
    logdir = tmp_path_factory.mktemp("real_pair")
    for run, name in (("inductor", "luatil__trace_04.json.gz"), ("graphs", "luatil__trace_05.json.gz")):
        _copy(shared_traces / name, logdir / run, name)
    return start_tensorboard(logdir)


def compare(page: Page, url: str, candidate: str, baseline: str, **place: str) -> FrameLocator:
    """The screen on two runs, their comparison shown."""
    files = newest_files(url)
    explain = open_screen(page, url, candidate, tab="compare", cmp=files[baseline], **place)
    expect(explain.get_by_label("Verdict").get_by_role("heading")).to_be_visible(timeout=ANSWERED_MS)
    return explain


def test_the_tutorials_pair(page: Page, pairs: str, watch: Watch) -> None:
    explain = compare(page, pairs, "compiled", "eager")
    heading = explain.get_by_label("Verdict").get_by_role("heading")
    expect(heading).to_contain_text("No clear difference")
    expect(explain.get_by_label("Verdict").get_by_role("img")).to_have_attribute(
        "aria-label", "Step pace: −23.0\u202fµs, between −681\u202fµs and +635\u202fµs"
    )
    table = explain.get_by_label("A against B")
    pace = table.get_by_role("row", name="Step pace")
    expect(pace).to_contain_text("within noise")
    expect(pace.locator("b")).to_have_count(0)
    expect(table.get_by_role("row", name="CPU span").locator("b")).to_have_count(2)
    steps = explain.get_by_label("Step by step")
    expect(steps.locator(".unsettled")).to_have_count(2)
    expect(steps.get_by_text("not settled: cold start")).to_have_count(2)
    assert (watch.errors, watch.outside) == ([], [])


def test_a_group_opens_to_its_kernels_by_keys(page: Page, pairs: str) -> None:
    explain = compare(page, pairs, "compiled", "eager")
    group = explain.get_by_role("button", name="mm and add became addmm")
    expect(group).to_have_attribute("aria-expanded", "false")
    group.focus()
    page.keyboard.press("Enter")
    expect(group).to_have_attribute("aria-expanded", "true")
    detail = explain.get_by_label("Groups").locator(".group-body")
    expect(detail).to_contain_text("Clear: the same kernel")
    expect(detail.get_by_text("ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_nn")).to_have_count(2)
    explain.get_by_label("Groups").get_by_role("combobox", name="Kind").select_option("added")
    expect(explain.get_by_label("Groups").locator("tr.group")).to_have_count(1)


def test_the_sides_are_exchanged_and_the_address_keeps_it(page: Page, pairs: str) -> None:
    explain = compare(page, pairs, "compiled", "eager")
    span = explain.get_by_label("A against B").get_by_role("row", name="CPU span")
    expect(span).to_contain_text("+30.0\u202fµs")
    explain.get_by_role("button", name="Exchange the two sides").click()
    expect(span).to_contain_text("−30.0\u202fµs", timeout=ANSWERED_MS)
    assert "p.explain.side=candidate" in place_of(page)
    assert "p.explain.tab=compare" in place_of(page)
    page.reload()
    expect(span).to_contain_text("−30.0\u202fµs", timeout=ANSWERED_MS)
    page.locator(STOCK_TAB).click()
    page.locator(TAB).click()
    expect(span).to_contain_text("−30.0\u202fµs", timeout=ANSWERED_MS)
    explain.locator("main").focus()
    page.keyboard.press("x")
    expect(span).to_contain_text("+30.0\u202fµs", timeout=ANSWERED_MS)


def test_another_run_is_chosen(page: Page, pairs: str, watch: Watch) -> None:
    explain = open_screen(page, pairs, "compiled", tab="compare")
    expect(explain.get_by_text("Compare this file with which other one?")).to_be_visible(timeout=ANSWERED_MS)
    explain.get_by_role("button", name="eager worker0.1780012800000000000").click()
    heading = explain.get_by_label("Verdict").get_by_role("heading")
    expect(heading).to_contain_text("No clear difference", timeout=ANSWERED_MS)
    assert f"p.explain.cmp={newest_files(pairs)['eager']}" in place_of(page)
    explain.get_by_role("combobox", name="Compare with").select_option("compiled")
    expect(explain.get_by_text("Besides the figures, nothing")).to_be_visible(timeout=ANSWERED_MS)
    assert (watch.errors, watch.outside) == ([], [])


def test_the_broken_side_is_named(page: Page, pairs: str, watch: Watch) -> None:
    explain = open_screen(page, pairs, "compiled", tab="compare", cmp=newest_files(pairs)["broken"])
    expect(explain.get_by_text("The baseline (A) cannot be read")).to_be_visible(timeout=ANSWERED_MS)
    expect(explain.get_by_text("line 1 column").first).to_be_visible()
    explain.get_by_role("button", name="Exchange the two sides").click()
    expect(explain.get_by_text("The candidate (B) cannot be read")).to_be_visible(timeout=ANSWERED_MS)
    assert (watch.errors, watch.outside) == ([], [])


def test_a_file_that_is_gone_leaves_a_choice(page: Page, pairs: str) -> None:
    explain = open_screen(page, pairs, "compiled", tab="compare", cmp="0" * 24)
    gone = explain.get_by_text("The file that the address names is not there any more.")
    expect(gone).to_be_visible(timeout=ANSWERED_MS)


@pytest.mark.parametrize(
    ("candidate", "baseline", "words"),
    [
        ("classifier_compiled", "classifier_eager", "CPU time of the operators"),
        ("compiled", "compiled", "The same on both sides"),
        ("no_steps", "eager", "A against B"),
        ("hostile", "compiled", "Fusion map"),
    ],
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_other_pairs(
    page: Page, pairs: str, watch: Watch, candidate: str, baseline: str, words: str, theme: str
) -> None:
    explain = compare(page, pairs, candidate, baseline, theme=theme)
    expect(explain.get_by_text(words).first).to_be_visible()
    for group in explain.locator(".group button").all()[:5]:
        group.click()
    shown = explain.locator("main").inner_text()
    assert "NaN" not in shown
    assert "undefined" not in shown
    assert explain.locator("body").evaluate("() => typeof window.__explain_xss") == "undefined"
    assert explain.locator("main img").count() == 0
    assert explain.locator("html").get_attribute("data-theme") == theme
    assert (watch.errors, watch.outside) == ([], [])


def test_the_comparison_is_exported_in_every_form(page: Page, pairs: str, watch: Watch) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/compare?" in request.url else None)
    explain = compare(page, pairs, "compiled", "eager")
    heading = explain.get_by_label("Verdict").get_by_role("heading").inner_text().replace("\u202f", " ")
    before = len(asked)
    explain.get_by_role("button", name="Export").click()
    menu = explain.locator(".share-body")
    expect(menu.get_by_role("heading")).to_have_text(
        [
            "This view",
            "The comparison of eager with compiled as a file",
            "The report on compiled as a file",
            re.compile(r"Step \d+ of compiled as a small trace"),
        ]
    )
    texts = {}
    for name, ending in (("Web page", "html"), ("Markdown", "md"), ("JSON", "json")):
        with page.expect_download() as download:
            menu.get_by_role("link", name=name).first.click()
        assert download.value.suggested_filename == f"eager to compiled.comparison.{ending}"
        texts[ending] = Path(download.value.path()).read_text(encoding="utf-8")
    assert json.loads(texts["json"])["headline"]["text"] == heading
    assert len(asked) == before > 0
    assert "Two runs compared" in texts["html"]
    assert heading in texts["md"]
    with page.expect_download() as download:
        menu.get_by_role("link", name="JSON").last.click()
    assert download.value.suggested_filename.endswith(".report.json")
    assert (watch.errors, watch.outside) == ([], [])


def test_html_in_names_is_text(page: Page, pairs: str) -> None:
    explain = compare(page, pairs, "hostile", "compiled")
    expect(explain.get_by_label("The two runs")).to_contain_text("<img src=x onerror=")
    groups = explain.get_by_label("Groups")
    expect(groups).to_contain_text("<")


def test_both_timelines_stand_on_one_axis_and_move_together(page: Page, real: str, watch: Watch) -> None:
    explain = compare(page, real, "graphs", "inductor")
    card = explain.get_by_label("Both timelines", exact=True)
    card.scroll_into_view_if_needed()
    drawings = card.get_by_role("img", name=re.compile("timeline from"))
    expect(drawings).to_have_count(2, timeout=ANSWERED_MS)
    a, b = drawings.nth(0), drawings.nth(1)
    expect(a).to_have_accessible_name(re.compile(r"^A, step 5: timeline from −218.µs to 7\.48.ms"))
    expect(b).to_have_accessible_name(re.compile(r"^B, step 4: timeline from −218.µs to 7\.48.ms"))
    a.focus()
    page.keyboard.press("w")
    closer = re.compile(r"timeline from 9\d\d.µs to 6\.3\d.ms")
    expect(a).to_have_accessible_name(closer)
    expect(b).to_have_accessible_name(closer)
    b.focus()
    page.keyboard.press("f")
    expect(a).to_have_accessible_name(re.compile("from −218"))
    page.keyboard.press("ArrowDown")
    side = card.get_by_label("Timeline of B")
    expect(side.get_by_text("after the start")).to_be_visible()
    side.get_by_role("button", name="On the timeline").click()
    expect(explain.get_by_role("complementary", name="What is this?").locator("pre")).to_be_visible(
        timeout=ANSWERED_MS
    )
    assert newest_files(real)["graphs"] in place_of(page)
    assert (watch.errors, watch.outside) == ([], [])


def test_graphs_against_single_launches(page: Page, real: str, watch: Watch) -> None:
    explain = compare(page, real, "graphs", "inductor")
    expect(explain.get_by_label("Verdict")).to_contain_text("graph launches")
    launches = explain.get_by_role("region", name="Launch calls")
    expect(launches).to_contain_text("A: 248 calls")
    expect(launches).to_contain_text("B: 17 calls, 2 of them of a whole graph")
    expect(explain.get_by_label("Step by step").get_by_text("not settled: cold start")).to_have_count(1)
    explain.get_by_label("Step by step").get_by_role("combobox", name="Figure").select_option("gpu_busy_us")
    expect(explain.get_by_label("Step by step")).to_contain_text("ms")
    finding = explain.get_by_role("button", name="graph launches a step took the place")
    finding.click()
    expect(finding).to_have_attribute("aria-expanded", "true")
    assert "p.explain.finding=graph-replay" in place_of(page)
    assert (watch.errors, watch.outside) == ([], [])
