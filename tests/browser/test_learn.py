"""The Learn screen in a real TensorBoard: questions answered, “show me”, and the searchable glossary."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import StartTensorBoard
from tests.browser.screens import ANSWERED_MS, open_screen, place_of
from tests.browser.tab import Watch

pytestmark = pytest.mark.browser

SAMPLES = Path(__file__).resolve().parents[1] / "samples" / "cases"


@pytest.fixture(scope="module")
def cases(start_tensorboard: StartTensorBoard, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The tutorial's two traces, one with hostile names, and one without steps."""
    logdir = tmp_path_factory.mktemp("cases")
    shutil.copytree(SAMPLES / "T02-tutorial-4096-pair" / "eager", logdir / "eager")
    for run, name in (("hostile", "B65-html-in-kernel-names"), ("no_steps", "B15-no-profilerstep")):
        (logdir / run).mkdir()
        shutil.copyfile(SAMPLES / f"{name}.json", logdir / run / "trace.json")
    return start_tensorboard(logdir)


@pytest.fixture(scope="module")
def real(
    start_tensorboard: StartTensorBoard, shared_traces: Path, tmp_path_factory: pytest.TempPathFactory
) -> str:
    logdir = tmp_path_factory.mktemp("real_learn")
    (logdir / "graphs").mkdir()
    shutil.copyfile(shared_traces / "luatil__trace_05.json.gz", logdir / "graphs" / "trace_05.json.gz")
    return start_tensorboard(logdir)


def test_a_question_is_answered_and_shown_on_the_overview(page: Page, real: str, watch: Watch) -> None:
    explain = open_screen(page, real, "graphs", tab="learn")
    question = explain.get_by_role("button", name="Why is there a cudaDeviceSynchronize of 105\u202fms")
    expect(question).to_be_visible(timeout=ANSWERED_MS)
    expect(question).to_contain_text("Artefact")
    question.focus()
    page.keyboard.press("Enter")
    expect(explain.get_by_text("the profiler closing its recording").first).to_be_visible()
    assert "p.explain.finding=closing-wait" in place_of(page)
    explain.get_by_role("button", name="Show me the evidence").click()
    finding = explain.get_by_role("button", name="wait at the end is the profiler’s own")
    expect(finding).to_have_attribute("aria-expanded", "true")
    assert "p.explain.tab=overview" in place_of(page)
    page.keyboard.press("4")
    expect(question).to_have_attribute("aria-expanded", "true")
    assert (watch.errors, watch.outside) == ([], [])


def test_kernels_have_names_for_people_and_raw_ones(page: Page, real: str) -> None:
    explain = open_screen(page, real, "graphs", tab="learn")
    explain.get_by_role("button", name="Which kernels take the time?").click(timeout=ANSWERED_MS)
    first = explain.locator(".answer-figures tr").first
    expect(first).to_contain_text("ampere_sgemm_128x64_tn")
    expect(first).to_contain_text("Matrix multiply in fp32, without tensor cores", timeout=ANSWERED_MS)


def test_the_glossary_is_searched_by_meaning(page: Page, cases: str, watch: Watch) -> None:
    explain = open_screen(page, cases, "eager", tab="learn")
    glossary = explain.get_by_label("Everything in this trace", exact=True)
    entries = glossary.locator(".entry")
    expect(entries.first).to_be_visible(timeout=ANSWERED_MS)
    page.keyboard.press("/")
    page.keyboard.type("multiply matrices")
    expect(glossary.get_by_role("status")).to_contain_text("found")
    field = glossary.get_by_role("searchbox")
    field.fill("matrix multiply")
    entry = entries.filter(has_text="ampere_bf16_s16816gemm").first
    expect(entry).to_contain_text("5 ×")
    entry.locator("summary").click()
    expect(entry.get_by_text("Is it a problem?")).to_be_visible()
    field.fill("no such thing")
    expect(entries).to_have_count(0)
    expect(glossary.get_by_role("status")).to_have_text("0 names found.")
    assert (watch.errors, watch.outside) == ([], [])


@pytest.mark.parametrize("run", ["eager", "hostile", "no_steps"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_question_opens(page: Page, cases: str, watch: Watch, run: str, theme: str) -> None:
    explain = open_screen(page, cases, run, tab="learn", theme=theme)
    heads = explain.locator(".question-head")
    expect(heads.first).to_be_visible(timeout=ANSWERED_MS)
    for head in heads.all():
        if head.get_attribute("aria-expanded") == "false":
            head.click()
        expect(explain.locator(".answer")).to_have_count(1)
        shown = explain.locator("main").inner_text()
        assert "NaN" not in shown
        assert "undefined" not in shown
    assert explain.locator("body").evaluate("() => typeof window.__explain_xss") == "undefined"
    assert (watch.errors, watch.outside) == ([], [])


def test_the_screen_of_a_link_is_shown_again(page: Page, cases: str) -> None:
    explain = open_screen(page, cases, "eager", tab="learn")
    expect(explain.locator(".question-head").first).to_be_visible(timeout=ANSWERED_MS)
    page.reload()
    expect(explain.locator(".question-head").first).to_be_visible(timeout=ANSWERED_MS)
    expect(explain.get_by_role("button", name="Learn")).to_have_attribute("aria-current", "page")
