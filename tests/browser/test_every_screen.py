"""Every screen of traces of every kind: it comes up, logs no error, and asks nobody outside."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import StartTensorBoard
from tests.browser.drawn_runs import write_run
from tests.browser.screens import ANSWERED_MS, newest_files, open_screen
from tests.browser.tab import Watch

pytestmark = pytest.mark.browser

REAL = {
    "compiled": "luatil__trace_04.json.gz",
    "graphs": "luatil__trace_05.json.gz",
    "one_step": "tracelens__h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
    "a100": "hta__negative_queue_length_values_check_rank0.json.gz",
    "stacks": "tracelens__h100__google_owlv2-large-patch14-ensemble__1016001.json.gz",
    "vllm": "tracelens__inference__vllm_decode_full__graph_execution.json.gz",
    "cpu_only": "hta__cpu_only_rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz",
}
OWN = ("classifier_eager", "classifier_compiled")
DRAWN = {"many_steps": (500, 1), "many_devices": (4, 8)}
SAMPLES = Path(__file__).resolve().parents[1] / "samples" / "compare"
# What each run is compared with.
BESIDE = {"graphs": "compiled", "classifier_compiled": "classifier_eager"}


@pytest.fixture(scope="module")
def every(
    start_tensorboard: StartTensorBoard, shared_traces: Path, tmp_path_factory: pytest.TempPathFactory
) -> str:
    logdir = tmp_path_factory.mktemp("every")
    for run, name in REAL.items():
        (logdir / run).mkdir()
        shutil.copyfile(shared_traces / name, logdir / run / "worker0.1.pt.trace.json.gz")
    for run in OWN:
        shutil.copytree(SAMPLES / run, logdir / run)
    for run, (steps, devices) in DRAWN.items():
        write_run(logdir / run / "worker0.1.pt.trace.json", steps, devices)
    return start_tensorboard(logdir)


@pytest.mark.parametrize("run", [*REAL, *OWN, *DRAWN])
def test_the_four_screens(page: Page, every: str, watch: Watch, run: str) -> None:
    explain = open_screen(page, every, run)
    expect(explain.get_by_label("Verdict").get_by_role("heading")).to_be_visible(timeout=ANSWERED_MS)
    page.keyboard.press("2")
    canvas = explain.get_by_role("img", name=re.compile("Timeline from"))
    expect(canvas).to_be_visible(timeout=ANSWERED_MS)
    page.keyboard.press("4")
    expect(explain.locator(".entry").first).to_be_visible(timeout=ANSWERED_MS)
    other = newest_files(every)[BESIDE.get(run, "compiled" if run != "compiled" else "graphs")]
    explain = open_screen(page, every, run, tab="compare", cmp=other)
    expect(explain.get_by_label("Verdict").get_by_role("heading")).to_be_visible(timeout=ANSWERED_MS)
    assert (watch.errors, watch.outside) == ([], [])


@pytest.mark.parametrize("tab", ["overview", "timeline", "compare", "learn"])
@pytest.mark.parametrize("size", [(1000, 800), (3840, 2160)], ids=["narrow", "4K"])
def test_nothing_sticks_out_at_any_width(page: Page, every: str, tab: str, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    explain = open_screen(page, every, "graphs", tab=tab, cmp=newest_files(every)["compiled"])
    expect(explain.get_by_role("main")).to_be_visible(timeout=ANSWERED_MS)
    expect(explain.locator("main h2, main canvas").first).to_be_attached(timeout=ANSWERED_MS)
    inside, window = explain.locator("body").evaluate(
        "body => [document.scrollingElement.scrollWidth, innerWidth]"
    )
    assert inside <= window
