"""Measures the Timeline screen in a real TensorBoard and a real browser while a reader pans.

    python benchmarks/panning.py LOGDIR [--chromium PATH]

LOGDIR holds one run with one trace; name a large one so that the stock profiler tab passes it over (no
``.pt.trace.json`` at its end), for that tab would read it too. Prints the tables of benchmarks/timeline.md.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import CDPSession, Frame, Page, Response, sync_playwright

from tb_plugin_explain.demo import (
    address,
    next_free_port,
    running,
    tensorboard_command,
    wait_until_it_answers,
)

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
SIZE = {"width": 1400, "height": 900}
FRAMES = 200
MOVE_PX = 12
# Shares of the recording that are in sight.
ZOOMS = tuple(4**n for n in range(10))
READY_S = 1800
ROUTES = ("timeline/window", "timeline/in_view")
# How long each callback of a frame takes; what is painted is painted in it.
WATCH_FRAMES = """(() => {
  const ask = window.requestAnimationFrame.bind(window);
  window.__frames = [];
  window.requestAnimationFrame = (draw) => ask((now) => {
    const began = performance.now();
    draw(now);
    window.__frames.push(performance.now() - began);
  });
})()"""


@dataclass
class Answers:
    """What the routes of windows answered while it was watched."""

    kilobytes: dict[str, list[float]] = field(default_factory=dict)
    ms: dict[str, list[float]] = field(default_factory=dict)

    def on_response(self, response: Response) -> None:
        route = next((route for route in ROUTES if f"/{route}?" in response.url), None)
        if route is None or not response.ok:
            return
        response.finished()
        timing = response.request.timing
        self.kilobytes.setdefault(route, []).append(response.request.sizes()["responseBodySize"] / 1e3)
        self.ms.setdefault(route, []).append(timing["responseEnd"] - timing["requestStart"])


@contextmanager
def tab(logdir: Path, chromium: str) -> Iterator[tuple[Page, str]]:
    """A page, and the address of a TensorBoard on the directory."""
    port = next_free_port(16_600)
    with running(tensorboard_command(logdir, port)) as server, sync_playwright() as playwright:
        wait_until_it_answers(server, port)
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        page.add_init_script(WATCH_FRAMES)
        yield page, address(port)
        browser.close()


def ask(url: str, route: str) -> Any:
    with urllib.request.urlopen(f"{url}data/plugin/explain/{route}") as answer:
        return json.load(answer)


def timeline_of(url: str) -> tuple[str, Any]:
    """The id of the only file, and its timeline once it is made."""
    while not (listed := ask(url, "runs"))["scanned"]:
        time.sleep(0.1)
    file = listed["runs"][0]["files"][0]["id"]
    began = time.monotonic()
    while (answer := ask(url, f"timeline?file={file}"))["state"] != "ready":
        if answer["state"] == "error" or time.monotonic() - began > READY_S:
            sys.exit(f"no timeline: {answer}")
        time.sleep(1)
    return file, answer["timeline"]


def show(page: Page, url: str, file: str, at: tuple[float, float]) -> Frame:
    """The Timeline screen at a range, its first window drawn."""
    page.goto("about:blank")
    page.goto(
        f"{url}#explain&p.explain.tab=timeline&p.explain.file={file}&p.explain.at={at[0]:.3f},{at[1]:.3f}"
    )
    page.frame_locator("iframe[src*='name=explain']").locator("canvas.tl-canvas").wait_for()
    frame = next(frame for frame in page.frames if "name=explain" in frame.url)
    frame.wait_for_selector("canvas.tl-canvas")
    page.wait_for_timeout(1500)
    return frame


def main_thread_s(session: CDPSession) -> float:
    """What the page's thread has worked so far, all of it: script, style, layout and drawing."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(m["value"]) for m in metrics if m["name"] == "TaskDuration")


def pan(page: Page, frame: Frame) -> tuple[list[float], float]:
    """Drags to and fro until enough frames were drawn; their times, and the thread's time a frame, ms."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    box = frame.locator("canvas.tl-canvas").bounding_box()
    assert box is not None
    middle, y = box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.3
    frame.evaluate("() => { window.__frames.length = 0; }")
    page.mouse.move(middle, y)
    page.mouse.down()
    began = main_thread_s(session)
    for step in range(4 * FRAMES):
        phase = step % 100
        page.mouse.move(middle + MOVE_PX * (phase if phase < 50 else 100 - phase) - 25 * MOVE_PX, y)
        if step % 20 == 0 and frame.evaluate("() => window.__frames.length") >= FRAMES:
            break
    worked_ms = 1e3 * (main_thread_s(session) - began)
    page.mouse.up()
    frames: list[float] = frame.evaluate("() => window.__frames")
    page.wait_for_timeout(800)
    return frames, worked_ms / max(len(frames), 1)


def percentiles(values: list[float]) -> str:
    if len(values) < 2:
        return " | ".join([f"{v:.1f}" for v in values] * 2) or "– | –"
    cuts = statistics.quantiles(values, n=20)
    return f"{cuts[9]:.1f} | {cuts[18]:.1f}"


def report(page: Page, url: str) -> None:
    file, timeline = timeline_of(url)
    whole = timeline["end_us"] - timeline["start_us"]
    print(f"{timeline['events']:,} events, {sum(lane['rows'] for lane in timeline['lanes'])} rows\n")
    print("| in sight | frames | p50 ms | p95 ms | thread ms a frame |\n|---|---:|---:|---:|---:|")
    answers = Answers()
    page.on("response", answers.on_response)
    for zoom in ZOOMS:
        middle = timeline["start_us"] + 0.41 * whole
        length = whole / zoom
        frame = show(page, url, file, (middle - length / 2, middle + length / 2))
        frames, thread_ms = pan(page, frame)
        print(f"| {length:,.0f} µs | {len(frames)} | {percentiles(frames)} | {thread_ms:.1f} |", flush=True)
    print("\n| answer | times | p50 ms | p95 ms | largest kB |\n|---|---:|---:|---:|---:|")
    for route in ROUTES:
        times = answers.ms.get(route, [])
        largest = max(answers.kilobytes.get(route, [0.0]))
        print(f"| `{route}` | {len(times)} | {percentiles(times)} | {largest:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("logdir", type=Path)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    arguments = parser.parse_args()
    with tab(arguments.logdir, arguments.chromium) as (page, url):
        report(page, url)


if __name__ == "__main__":
    main()
