"""The Timeline screen of real GPU traces in a real TensorBoard."""

from __future__ import annotations

import re
import shutil
import statistics
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import FrameLocator, Locator, Page, expect

from tests.browser.conftest import StartTensorBoard
from tests.browser.tab import FRAME, STOCK_TAB, TAB, Watch

pytestmark = pytest.mark.browser

RUNS = {
    "compiled": "luatil__trace_04.json.gz",
    "stacks": "tracelens__h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
    "cpu": "hta__cpu_only_rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz",
}
SPAN = "1751410836000000000"
ANALYSED_MS = 90_000
CASES = Path(__file__).resolve().parents[1] / "samples"
# Half of a frame at 60 Hz: the other half is the browser's.
FRAME_BUDGET_MS = 8.0
PAN_FRAMES = 200
TIME_FRAMES = """(() => {
  const ask = window.requestAnimationFrame.bind(window);
  window.__frames = [];
  window.requestAnimationFrame = (draw) => ask((now) => {
    const began = performance.now();
    draw(now);
    window.__frames.push(performance.now() - began);
  });
})()"""


@pytest.fixture(scope="module")
def real(
    start_tensorboard: StartTensorBoard, shared_traces: Path, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """A TensorBoard on real traces, and on one with hostile names."""
    logdir = tmp_path_factory.mktemp("timelines")
    for run, name in RUNS.items():
        (logdir / run).mkdir()
        shutil.copyfile(shared_traces / name, logdir / run / f"worker0.{SPAN}.pt.trace.json.gz")
    (logdir / "hostile").mkdir()
    hostile = CASES / "cases" / "B65-html-in-kernel-names.json"
    shutil.copyfile(hostile, logdir / "hostile" / "<img src=x onerror=window.__explain_xss=1> trace.json")
    return start_tensorboard(logdir)


class Drawing:
    """The timeline as a reader handles it."""

    def __init__(self, page: Page, explain: FrameLocator) -> None:
        self.page = page
        self.explain = explain
        self.canvas = explain.get_by_role("img", name=re.compile("Timeline from"))
        self.panel = explain.get_by_role("complementary", name="What is this?")

    def place(self, key: str) -> str | None:
        pairs = dict(parse_qsl(self.page.evaluate("location.hash").removeprefix("#")))
        return pairs.get(f"p.explain.{key}")

    def range(self) -> tuple[float, float]:
        start, end = (self.place("at") or "0,0").split(",")
        return float(start), float(end)

    def wait_until(self, holds: Callable[[], bool]) -> None:
        for _ in range(100):
            if holds():
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"still at {self.page.evaluate('location.hash')}")

    def moves(self, act: Callable[[], None]) -> tuple[float, float]:
        """What is in sight after something that changes it."""
        before = self.place("at")
        act()
        self.wait_until(lambda: self.place("at") not in (before, None))
        self.page.wait_for_timeout(400)
        return self.range()

    def key(self, key: str) -> tuple[float, float]:
        return self.moves(lambda: self.page.keyboard.press(key))

    def point(self, x: float, y: float) -> tuple[float, float]:
        """A point of the drawing, in shares of its size, on the page."""
        box = self.canvas.bounding_box()
        assert box is not None
        return box["x"] + x * box["width"], box["y"] + y * box["height"]

    def search(self, text: str) -> Locator:
        self.page.keyboard.press("/")
        field = self.explain.get_by_role("searchbox", name="Search names on the timeline")
        expect(field).to_be_focused()
        field.fill(text)
        return self.explain.get_by_role("region", name="Names found").get_by_role("button")


def open_timeline(page: Page, url: str, run: str, **place: str) -> Drawing:
    keys = {"tab": "timeline", "run": run, **place}
    page.goto(f"{url}#explain&" + "&".join(f"p.explain.{key}={value}" for key, value in keys.items()))
    page.locator(FRAME).wait_for()
    drawing = Drawing(page, page.frame_locator(FRAME))
    expect(drawing.canvas).to_be_visible(timeout=ANALYSED_MS)
    # The first window is there as soon as the mouse finds an event.
    page.wait_for_timeout(1000)
    return drawing


def test_it_pans_and_zooms_by_mouse_and_by_keys(page: Page, real: str, watch: Watch) -> None:
    drawing = open_timeline(page, real, "compiled", at="0,8000")
    expect(page.locator(STOCK_TAB)).to_be_visible()
    expect(drawing.explain.get_by_role("button", name="Main thread")).to_be_visible()
    expect(drawing.explain.get_by_role("button", name="Compute")).to_be_visible()
    x, y = drawing.point(0.5, 0.3)
    page.mouse.move(x, y)
    closer = drawing.moves(lambda: page.mouse.wheel(0, -300))
    assert closer[1] - closer[0] < 6000
    assert sum(closer) / 2 == pytest.approx(4000, abs=100)

    def drag() -> None:
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 200, y, steps=5)
        page.mouse.up()

    later = drawing.moves(drag)
    assert later[0] > closer[0]
    assert later[1] - later[0] == pytest.approx(closer[1] - closer[0], rel=0.01)
    assert drawing.key("d")[0] > later[0]
    whole = drawing.key("0")
    assert whole[0] < 0
    assert whole[1] > 120_000
    back = drawing.key("Escape")
    assert back[1] - back[0] == pytest.approx(later[1] - later[0], rel=0.01)
    assert (watch.errors, watch.outside) == ([], [])


def test_a_kernel_is_chosen_and_explained_down_to_its_launch(page: Page, real: str, watch: Watch) -> None:
    drawing = open_timeline(page, real, "stacks", at="13900,17150")
    expect(drawing.search("flash_fwd").first).to_be_visible()
    page.wait_for_timeout(500)
    page.keyboard.press("Enter")
    expect(drawing.panel.get_by_role("heading", level=2)).to_contain_text("FlashAttention")
    expect(drawing.panel).to_contain_text("void pytorch_flash::flash_fwd_kernel")
    expect(drawing.panel).to_contain_text("A problem?")
    expect(drawing.panel).to_contain_text(re.compile(r"Launch latency, [\d.,]+\s[mµ]s"))
    chain = drawing.panel.get_by_role("listitem")
    for kind in ("Python", "Module", "Operator", "Call", "GPU work"):
        expect(chain.filter(has_text=re.compile(f"^{kind}"))).to_have_count(1)
    expect(chain.filter(has_text="Call")).to_contain_text("cudaLaunchKernel")
    chosen = drawing.place("ev")
    drawing.panel.get_by_text("Arguments").click()
    expect(drawing.panel).to_contain_text("correlation", timeout=ANALYSED_MS)
    drawing.canvas.focus()
    page.keyboard.press("l")
    expect(drawing.panel).to_contain_text("cudaLaunchKernel")
    drawing.wait_until(lambda: drawing.place("ev") not in (chosen, None))
    page.keyboard.press("l")
    drawing.wait_until(lambda: drawing.place("ev") == chosen)
    assert (watch.errors, watch.outside) == ([], [])


def test_pressing_the_drawing_and_arrow_keys_choose_events(page: Page, real: str) -> None:
    drawing = open_timeline(page, real, "compiled", at="100000,104000")
    box = drawing.canvas.bounding_box()
    assert box is not None
    # The stream's work stands at the bottom.
    page.mouse.click(*drawing.point(0.5, 1 - 30 / box["height"]))
    drawing.wait_until(lambda: drawing.place("ev") is not None)
    expect(drawing.panel).to_contain_text("How it came about")
    first = drawing.place("ev")
    page.keyboard.press("ArrowRight")
    drawing.wait_until(lambda: drawing.place("ev") != first)
    page.keyboard.press("ArrowLeft")
    drawing.wait_until(lambda: drawing.place("ev") == first)
    page.keyboard.press("ArrowUp")
    drawing.wait_until(lambda: drawing.place("ev") != first)
    page.keyboard.press("Escape")
    drawing.wait_until(lambda: drawing.place("ev") is None)


def test_the_place_survives_a_reload_and_another_tab(page: Page, real: str) -> None:
    drawing = open_timeline(page, real, "compiled", at="1000,5000")
    expect(drawing.search("gemm").first).to_be_visible()
    page.wait_for_timeout(500)
    page.keyboard.press("Enter")
    drawing.wait_until(lambda: drawing.place("ev") is not None)
    chosen = drawing.place("ev")
    heading = drawing.panel.get_by_role("heading", level=2)
    expect(heading).to_be_visible()
    title = heading.inner_text()
    page.locator(STOCK_TAB).click()
    page.locator(TAB).click()
    expect(heading).to_have_text(title)
    page.reload()
    expect(heading).to_have_text(title, timeout=ANALYSED_MS)
    assert drawing.range() == (1000, 5000)
    assert drawing.place("ev") == chosen
    expect(drawing.canvas).to_have_accessible_name(re.compile("from 1.00.ms to 5.00.ms"))


def test_a_story_leads_to_its_event_and_says_so(page: Page, real: str) -> None:
    drawing = open_timeline(page, real, "compiled")
    stories = drawing.explain.get_by_role("list", name="Findings on the timeline")
    wait = stories.get_by_role("button", name="wait at the end is the profiler")
    start, end = drawing.moves(wait.click)
    assert start < 38_000
    assert end > 127_000
    expect(drawing.panel).to_contain_text("cudaDeviceSynchronize")
    # The badge goes with the text on all such calls; the finding about this one has its own.
    expect(drawing.panel.locator("header .chip")).to_have_text("Depends")
    line = drawing.panel.locator(".tl-here")
    expect(line).to_contain_text("Artefact")
    expect(line).to_contain_text(re.compile(r"Finding \d+: "))
    assert (drawing.place("finding") or "").startswith("closing-wait")


def test_the_address_names_the_finding_that_was_pressed_last(page: Page, real: str) -> None:
    drawing = open_timeline(page, real, "compiled", finding="host-bound")
    stories = drawing.explain.get_by_role("list", name="Findings on the timeline")
    stories.get_by_role("button", name="wait at the end is the profiler").click()
    drawing.wait_until(lambda: (drawing.place("finding") or "").startswith("closing-wait"))


def test_gpu_work_is_said_to_be_launched_in_its_step(page: Page, real: str) -> None:
    drawing = open_timeline(page, real, "compiled", at="100000,104000")
    expect(drawing.search("gemm").first).to_be_visible()
    page.wait_for_timeout(500)
    page.keyboard.press("Enter")
    expect(drawing.panel).to_contain_text(re.compile(r"Launched in step \d+ at"))
    expect(drawing.panel).not_to_contain_text("Starts in step")


def test_a_range_is_measured_and_zoomed_to(page: Page, real: str) -> None:
    drawing = open_timeline(page, real, "compiled", at="0,8000")
    page.keyboard.down("Shift")
    page.mouse.move(*drawing.point(0.25, 0.5))
    page.mouse.down()
    page.mouse.move(*drawing.point(0.75, 0.5), steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(drawing.explain.get_by_text("Measured 4.0")).to_be_visible()
    start, end = drawing.moves(drawing.explain.get_by_role("button", name="Zoom to measured").click)
    assert start == pytest.approx(2000, abs=30)
    assert end == pytest.approx(6000, abs=30)
    page.keyboard.press("Escape")
    expect(drawing.explain.get_by_text("Measured 4.0")).to_have_count(0)


def test_steps_are_followed_and_the_table_says_the_same(page: Page, real: str) -> None:
    drawing = open_timeline(page, real, "compiled", at="0,8000", step="2")
    start, end = drawing.key("]")
    assert 7000 < start < 9000
    assert 15_000 < end < 16_500
    page.keyboard.press("v")
    table = drawing.explain.get_by_role("region", name="Events in view, as a table")
    expect(table.get_by_role("row").filter(has_text="ProfilerStep#3").first).to_be_visible()
    table.get_by_role("button", name="ProfilerStep#3").first.click()
    expect(drawing.panel).to_contain_text("ProfilerStep#3")


def test_the_figures_of_the_view_follow_it(page: Page, real: str, watch: Watch) -> None:
    page.set_viewport_size({"width": 1400, "height": 960})
    drawing = open_timeline(page, real, "compiled", at="30000,38000")
    card = drawing.explain.get_by_label("In view", exact=True)
    work = card.get_by_role("table").filter(has_text="GPU work in view")
    expect(work).to_contain_text(re.compile(r"9\d\.\d.% busy, 7\.\d+.ms; \d+ kernels, \d+ launches"))
    expect(work.get_by_role("row").first).to_contain_text(
        "Matrix multiply in fp32, without tensor cores, 64x64"
    )
    before = work.inner_text()
    drawing.key("w")
    expect(work).not_to_have_text(before)
    losses = card.get_by_role("table").filter(has_text="Longest waits and gaps")
    start, end = drawing.moves(losses.get_by_role("button", name="GPU idle").first.click)
    assert end - start < 100
    work.get_by_role("button").first.click()
    field = drawing.explain.get_by_role("searchbox", name="Search names on the timeline")
    expect(field).not_to_have_value("")
    assert (watch.errors, watch.outside) == ([], [])


def test_a_shaded_part_is_told_of_and_leads_to_its_finding(page: Page, real: str, watch: Watch) -> None:
    page.set_viewport_size({"width": 1400, "height": 960})
    drawing = open_timeline(page, real, "stacks", at="13900,17150")
    losses = drawing.explain.get_by_role("table").filter(has_text="Longest waits and gaps")
    row = losses.get_by_role("button", name="GPU idle: refill bubble").first
    drawing.moves(row.click)
    heading = drawing.panel.get_by_role("heading", level=2)
    expect(heading).to_have_text("GPU idle: refill bubble")
    expect(drawing.panel).to_contain_text("A problem?")
    told = drawing.panel.inner_text()
    page.reload()
    expect(heading).to_have_text("GPU idle: refill bubble", timeout=ANALYSED_MS)
    expect(drawing.panel).to_have_text(told, use_inner_text=True)
    drawing.canvas.focus()
    page.keyboard.press("Escape")
    expect(heading).to_have_count(0)
    assert drawing.place("ev") is None
    box = drawing.canvas.bounding_box()
    assert box is not None
    page.mouse.click(*drawing.point(0.5, 1 - 30 / box["height"]))
    expect(heading).to_have_text("GPU idle: refill bubble")
    expect(drawing.panel).to_contain_text("Of GPU 0")
    expect(drawing.panel).to_contain_text("Length")
    drawing.panel.get_by_role("button", name="Finding").click()
    opened = drawing.explain.locator(".finding-head[aria-expanded=true]")
    expect(opened).to_contain_text("wait")
    assert (watch.errors, watch.outside) == ([], [])


def test_the_shade_of_a_wait_is_told_of(page: Page, real: str) -> None:
    page.set_viewport_size({"width": 1400, "height": 960})
    drawing = open_timeline(page, real, "stacks", at="13900,14300")
    box = drawing.canvas.bounding_box()
    assert box is not None
    # Below the row of the call, at the bottom of the threads.
    page.mouse.click(*drawing.point(0.3, 1 - 100 / box["height"]))
    expect(drawing.panel.get_by_role("heading", level=2)).to_contain_text("Main thread waits")
    expect(drawing.panel).to_contain_text("A problem?")
    expect(drawing.panel.get_by_role("button", name="Finding")).to_be_visible()


def test_on_a_narrow_page_the_panel_comes_into_sight(page: Page, real: str) -> None:
    page.set_viewport_size({"width": 1000, "height": 800})
    drawing = open_timeline(page, real, "compiled", at="100000,104000")
    panel = drawing.panel
    assert panel.evaluate("panel => panel.getBoundingClientRect().top > innerHeight")
    box = drawing.canvas.bounding_box()
    assert box is not None
    page.mouse.click(*drawing.point(0.5, 1 - 30 / box["height"]))
    expect(panel.get_by_role("heading", level=2)).to_be_in_viewport()
    page.wait_for_timeout(600)
    assert panel.evaluate("panel => panel.getBoundingClientRect().top < 0.75 * innerHeight")


def test_gpu_work_has_names_for_people_and_the_raw_one_beside(page: Page, real: str) -> None:
    drawing = open_timeline(page, real, "compiled", at="34000,34900")
    box = drawing.canvas.bounding_box()
    assert box is not None
    tip = drawing.explain.locator(".tl-tip")
    for share in (0.2, 0.4, 0.6, 0.8):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] - 30)
        if "Matrix multiply" in tip.inner_text():
            break
    expect(tip.locator("b")).to_contain_text("Matrix multiply in fp32, without tensor cores")
    expect(tip.locator("bdi")).to_contain_text("gemm")


def test_lanes_fold(page: Page, real: str) -> None:
    lane = open_timeline(page, real, "compiled").explain.get_by_role("button", name="Backward")
    expect(lane).to_have_attribute("aria-expanded", "true")
    lane.click()
    expect(lane).to_have_attribute("aria-expanded", "false")


@pytest.mark.parametrize("run", ["cpu", "hostile"])
def test_other_kinds_of_runs(page: Page, real: str, watch: Watch, run: str) -> None:
    drawing = open_timeline(page, real, run)
    drawing.canvas.focus()
    page.keyboard.press("ArrowDown")
    expect(drawing.panel.get_by_role("heading", level=2)).to_be_visible()
    if run == "hostile":
        drawing.search("<").first.click()
        expect(drawing.panel).to_contain_text("<")
    body = drawing.explain.locator("body")
    assert body.evaluate("() => typeof window.__explain_xss") == "undefined"
    assert "NaN" not in body.inner_text()
    assert (watch.errors, watch.outside) == ([], [])


def test_a_frame_of_a_pan_takes_no_longer_than_half_of_it(page: Page, real: str) -> None:
    page.add_init_script(TIME_FRAMES)
    drawing = open_timeline(page, real, "stacks", at="-300,50000")
    body = drawing.explain.locator("body")
    body.evaluate("() => { window.__frames.length = 0; }")
    x, y = drawing.point(0.5, 0.3)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -200)
    page.mouse.down()
    for i in range(4 * PAN_FRAMES):
        page.mouse.move(x + 300 * (i % 100 - 50) / 50, y)
        page.wait_for_timeout(8)
        if body.evaluate("() => window.__frames.length") >= PAN_FRAMES:
            break
    page.mouse.up()
    frames: list[float] = body.evaluate("() => window.__frames")
    assert len(frames) >= PAN_FRAMES
    assert statistics.median(frames) <= FRAME_BUDGET_MS
