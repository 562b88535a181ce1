"""The Overview screen of real GPU traces in a real TensorBoard with the stock plugin beside it."""

from __future__ import annotations

import json
import shutil
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Page, expect

from tests.browser.conftest import StartTensorBoard
from tests.browser.tab import STOCK_TAB, TAB, Watch, open_explain

pytestmark = pytest.mark.browser

RUNS = {
    "rtx": "luatil__trace_05.json.gz",
    "a100": "hta__negative_queue_length_values_check_rank0.json.gz",
    "stacks": "tracelens__h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
    "cpu": "hta__cpu_only_rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz",
    "no_steps": "samfast__2023-11-30_97a69cf16936_amg_example_trace.json.gz",
}
SPAN = "1751410836000000000"
ANALYSED_MS = 60_000
CASES = Path(__file__).resolve().parents[1] / "samples"


@pytest.fixture(scope="module")
def real(
    start_tensorboard: StartTensorBoard, shared_traces: Path, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """A TensorBoard on real traces, on one that cannot be read and on one with hostile names."""
    logdir = tmp_path_factory.mktemp("real")
    for run, name in RUNS.items():
        (logdir / run).mkdir()
        shutil.copyfile(shared_traces / name, logdir / run / f"worker0.{SPAN}.pt.trace.json.gz")
    (logdir / "rtx" / f"worker1.{SPAN}.pt.trace.json").write_text('{"traceEvents": [{"ph": "X", nope}]}')
    (logdir / "hostile").mkdir()
    hostile = CASES / "cases" / "B65-html-in-kernel-names.json"
    shutil.copyfile(hostile, logdir / "hostile" / "<img src=x onerror=window.__explain_xss=1> trace.json")
    return start_tensorboard(logdir)


def open_run(page: Page, url: str, run: str) -> FrameLocator:
    """The tab on one run, its report shown."""
    explain = open_explain(page, url)
    explain.get_by_role("combobox", name="Run").select_option(label=run)
    expect(explain.get_by_label("Verdict").get_by_role("heading")).to_be_visible(timeout=ANALYSED_MS)
    return explain


def report_of(url: str, run: str) -> dict[str, Any]:
    """What the server says of the newest file of a run, once it is analysed."""
    base = f"{url}data/plugin/explain/"
    with urllib.request.urlopen(f"{base}runs") as answer:
        runs = json.load(answer)["runs"]
    file = next(r for r in runs if r["name"] == run)["files"][0]["id"]
    with urllib.request.urlopen(f"{base}report?file={file}") as answer:
        report: dict[str, Any] = json.load(answer)["report"]
    return report


def test_headline_steps_and_a_finding_of_a_real_trace(page: Page, real: str, watch: Watch) -> None:
    explain = open_run(page, real, "rtx")
    report = report_of(real, "rtx")
    expect(page.locator(STOCK_TAB)).to_be_visible()
    heading = explain.get_by_label("Verdict").get_by_role("heading")
    words = report["headline"]["text"].split()
    expect(heading).to_contain_text(words[0])
    expect(heading).to_contain_text("sets the pace")
    steps = explain.get_by_role("listbox", name="Steps").get_by_role("option")
    expect(steps).to_have_count(len(report["steps"]))
    finding = explain.get_by_role("button", name="lane trails")
    finding.click()
    expect(finding).to_have_attribute("aria-expanded", "true")
    expect(explain.get_by_text("A full queue is what you want")).to_be_visible()
    assert (watch.errors, watch.outside) == ([], [])


def test_step_run_and_theme_are_switched(page: Page, real: str, watch: Watch) -> None:
    explain = open_run(page, real, "rtx")
    steps = explain.get_by_role("listbox", name="Steps").get_by_role("option")
    steps.first.click()
    expect(steps.first).to_have_attribute("aria-selected", "true")
    expect(explain.get_by_text("CPU, step 2")).to_be_visible()
    explain.get_by_role("combobox", name="Run").select_option(label="a100")
    expect(explain.get_by_text("This trace cannot say why")).to_be_visible(timeout=ANALYSED_MS)
    light = explain.locator("body").evaluate("e => getComputedStyle(e).backgroundColor")
    page.evaluate("document.body.classList.add('dark-mode')")
    page.wait_for_timeout(300)
    assert explain.locator("body").evaluate("e => getComputedStyle(e).backgroundColor") != light
    assert (watch.errors, watch.outside) == ([], [])


def test_the_place_survives_a_reload_and_another_tab(page: Page, real: str) -> None:
    explain = open_run(page, real, "rtx")
    explain.get_by_role("listbox", name="Steps").get_by_role("option").nth(1).click()
    expect(explain.get_by_text("CPU, step 3")).to_be_visible()
    page.locator(STOCK_TAB).click()
    page.locator(TAB).click()
    expect(explain.get_by_text("CPU, step 3")).to_be_visible()
    page.reload()
    expect(explain.get_by_text("CPU, step 3")).to_be_visible(timeout=ANALYSED_MS)


def test_a_file_that_cannot_be_read_says_why_and_leaves_the_others(
    page: Page, real: str, watch: Watch
) -> None:
    explain = open_run(page, real, "rtx")
    explain.get_by_role("combobox", name="Worker").select_option(label="worker1")
    expect(explain.get_by_text("line 1 column").first).to_be_visible(timeout=ANALYSED_MS)
    explain.get_by_role("combobox", name="Worker").select_option(label="worker0")
    expect(explain.get_by_label("Verdict").get_by_role("heading")).to_be_visible(timeout=ANALYSED_MS)
    assert (watch.errors, watch.outside) == ([], [])


@pytest.mark.parametrize(
    ("run", "words"),
    [
        ("cpu", "No GPU was recorded"),
        ("no_steps", "Whole recording"),
        ("stacks", "of waiting costs almost nothing"),
        ("hostile", "sets the pace"),
    ],
)
def test_other_kinds_of_runs(page: Page, real: str, watch: Watch, run: str, words: str) -> None:
    explain = open_run(page, real, run)
    expect(explain.get_by_text(words).first).to_be_visible()
    assert explain.locator("body").evaluate("() => typeof window.__explain_xss") == "undefined"
    assert "NaN" not in explain.locator("body").inner_text()
    assert (watch.errors, watch.outside) == ([], [])


def test_the_run_and_what_asked_for_waits_are_not_cut(
    page: Page, start_tensorboard: StartTensorBoard, shared_traces: Path, samples: Path, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 1400, "height": 900})
    for run, trace in (
        ("qwen_h100", shared_traces / RUNS["stacks"]),
        ("other", samples / "tutorial_64_cold"),
    ):
        (tmp_path / run).mkdir()
        file = trace if trace.is_file() else next(trace.iterdir())
        shutil.copyfile(file, tmp_path / run / f"a_worker_whose_name_is_long_{file.name}")
    explain = open_run(page, start_tensorboard(tmp_path), "qwen_h100")
    assert explain.get_by_role("combobox", name="Run").evaluate(
        """select => {
          const width = select.offsetWidth;
          const whole = select.cloneNode(true);
          whole.style.position = "absolute";
          select.after(whole);
          const wanted = whole.offsetWidth;
          whole.remove();
          return width >= wanted;
        }"""
    )
    explain.get_by_role("button", name="of waiting costs almost nothing").click()
    asked = explain.locator(".finding.open .data td:first-child .name")
    expect(asked.first).to_have_text("cudaDeviceSynchronize")
    cut = (
        "names => names.filter(e => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight).length"
    )
    assert asked.evaluate_all(cut) == 0


def test_an_empty_logdir_shows_how_to_record(
    page: Page, start_tensorboard: StartTensorBoard, tmp_path: Path
) -> None:
    url = start_tensorboard(tmp_path)
    page.goto(f"{url}data/plugin_entry.html?name=explain")
    expect(page.get_by_text("tensorboard_trace_handler").first).to_be_visible()
    expect(page.get_by_text("train_step(batch); prof.step()").first).to_be_visible()


def test_a_new_file_is_announced_and_nothing_is_replaced(
    page: Page, start_tensorboard: StartTensorBoard, samples: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    [trace] = (samples / "tutorial_64_cold").iterdir()
    shutil.copyfile(trace, run / "worker0.1780012800000000000.pt.trace.json")
    explain = open_explain(page, start_tensorboard(tmp_path, "--reload_interval", "1"))
    expect(explain.get_by_label("Verdict").get_by_role("heading")).to_be_visible(timeout=ANALYSED_MS)
    [other] = (samples / "tutorial_4096_eager").iterdir()
    shutil.copyfile(other, run / "worker0.1780012900000000000.pt.trace.json")
    show = explain.get_by_role("button", name="Show it")
    expect(show).to_be_visible(timeout=30_000)
    expect(explain.get_by_label("Verdict").get_by_role("heading")).to_contain_text("The CPU sets the pace")
    show.click()
    expect(explain.get_by_label("Verdict").get_by_role("heading")).to_contain_text(
        "The GPU sets the pace", timeout=ANALYSED_MS
    )


def test_the_newest_file_is_followed_once_the_reader_wants_it(
    page: Page, start_tensorboard: StartTensorBoard, samples: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    [trace] = (samples / "tutorial_64_cold").iterdir()
    shutil.copyfile(trace, run / "worker0.1780012800000000000.pt.trace.json")
    explain = open_explain(page, start_tensorboard(tmp_path, "--reload_interval", "1"))
    heading = explain.get_by_label("Verdict").get_by_role("heading")
    expect(heading).to_contain_text("The CPU sets the pace", timeout=ANALYSED_MS)
    explain.locator("main").focus()
    page.keyboard.press(".")
    expect(explain.get_by_role("button", name="Following")).to_have_attribute("aria-pressed", "true")
    [other] = (samples / "tutorial_4096_eager").iterdir()
    shutil.copyfile(other, run / "worker0.1780012900000000000.pt.trace.json")
    expect(heading).to_contain_text("The GPU sets the pace", timeout=ANALYSED_MS)
    explain.get_by_role("combobox", name="File").select_option(index=1)
    expect(heading).to_contain_text("The CPU sets the pace", timeout=ANALYSED_MS)
    expect(explain.get_by_role("button", name="Follow", exact=True)).to_be_visible()


def test_a_search_begins_on_every_screen(page: Page, board: str) -> None:
    explain = open_explain(page, board)
    expect(explain.get_by_label("Verdict").get_by_role("heading")).to_be_visible(timeout=ANALYSED_MS)
    explain.locator("main").focus()
    page.keyboard.press("/")
    field = explain.get_by_role("searchbox", name="Search what this trace contains")
    expect(field).to_be_focused(timeout=ANALYSED_MS)
    page.keyboard.type("gemm")
    expect(field).to_have_value("gemm")
    explain.get_by_role("button", name="Timeline", exact=True).click()
    expect(explain.get_by_role("img", name="Timeline from")).to_be_visible(timeout=ANALYSED_MS)
    explain.get_by_role("button", name="Search").click()
    expect(explain.get_by_role("searchbox", name="Search names on the timeline")).to_be_focused()
