"""No trace takes more memory than it may: it is refused with its size and the way out, or cut into steps."""

from __future__ import annotations

import gzip
import io
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tb_plugin_explain.errors import TraceError, UsageError
from tb_plugin_explain.narrowing import narrowed
from tb_plugin_explain.plugin import routes
from tb_plugin_explain.plugin.answers import Services
from tb_plugin_explain.plugin.cache import Cache
from tb_plugin_explain.plugin.watcher import RunsWatcher
from tb_plugin_explain.runs import parse_logdirs
from tb_plugin_explain.slicing import write_slice
from tb_plugin_explain.trace.engine import default_engine
from tb_plugin_explain.trace.memory import (
    available_bytes,
    limited_memory,
    own_bytes,
    parse_size,
    refuse_too_large,
)
from tb_plugin_explain.trace.reader import read_trace
from tb_plugin_explain.trace.steps import find_steps
from tests.case_files import CASES, ENDING
from tests.faults.large_traces import (
    explain_in_tab,
    run_python,
    tb_explain,
    write_recorded_steps,
    write_steps,
)
from tests.plugin.bodies import body

# 120,120 entries, 72,120 of them events, 12 MB: by the estimate a report takes 30 MB for these alone.
STEPS = 120
TOO_LITTLE_BYTES = 20 * 10**6
WAY_OUT = "tb-explain slice FILE --step N -o step.json.gz"

resource = pytest.importorskip("resource")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_steps(tmp_path_factory.mktemp("large") / "trace.json.gz", STEPS)


@dataclass(frozen=True)
class Bare:
    """What a process has before it reads: of its own, and at most with what libraries map from files."""

    own_bytes: int
    peak_bytes: int


_BARE = """
from tb_plugin_explain import cli, report
from tb_plugin_explain.trace.memory import own_bytes
from tests.faults.large_traces import peak_bytes
print(own_bytes(), peak_bytes())
"""


@pytest.fixture(scope="module")
def bare() -> Bare:
    return Bare(*map(int, run_python(_BARE).stdout.split()))


@pytest.fixture(scope="module")
def too_little(bare: Bare) -> str:
    return str(bare.own_bytes + TOO_LITTLE_BYTES)


def test_a_trace_that_needs_more_is_refused_with_its_size_and_the_way_out(
    large: Path, too_little: str
) -> None:
    ended = tb_explain("report", large, "--max-memory", too_little)
    assert (ended.status, ended.out) == (2, "")
    [line] = ended.lines
    told = re.search(r"(\d+) MB of trace would take about (\d+) MB of memory, and (\d+) MB may be used", line)
    assert told
    text_mb, needed_mb, left_mb = map(int, told.groups())
    with gzip.open(large) as file:
        assert text_mb == pytest.approx(file.seek(0, io.SEEK_END) / 1e6, rel=0.2)
    assert left_mb < needed_mb
    assert WAY_OUT in line
    assert "--max-memory" in line


def test_programs_get_the_kind(large: Path, too_little: str) -> None:
    ended = tb_explain("report", large, "--max-memory", too_little, "--format", "json")
    assert ended.status == 2
    assert json.loads(ended.out)["error"]["kind"] == "too_large"


_HOLDING = """
import sys
from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.trace.memory import limited_memory, refuse_too_large
with limited_memory(250 * 10**6):
    refuse_too_large(sys.argv[1])
    held = bytearray(225 * 10**6)
    try:
        refuse_too_large(sys.argv[1])
    except TraceError as error:
        print(error.kind)
    del held
    refuse_too_large(sys.argv[1])
    print("fits")
"""


def test_what_is_held_already_counts(large: Path) -> None:
    """As of two traces that are compared: each fits alone."""
    assert run_python(_HOLDING, large).stdout.split() == ["too_large", "fits"]


@pytest.fixture(scope="module")
def unseen(large: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The estimate finds no event here, and the reader all of them."""
    plain = tmp_path_factory.mktemp("unseen") / "trace.json"
    text = gzip.decompress(large.read_bytes())
    plain.write_bytes(text.replace(b'"ph"', b'"p\\u0068"').replace(b'"kernel"', b'"k\\u0065rnel"'))
    return plain


@pytest.fixture(scope="module")
def needed_bytes(unseen: Path, bare: Bare) -> int:
    """What a report on it really takes, on top of what a process has."""
    return tb_explain("report", unseen).peak_bytes - bare.peak_bytes


@pytest.mark.parametrize("share", [0.1, 0.25, 0.4])
def test_no_process_takes_more_than_it_may(unseen: Path, bare: Bare, needed_bytes: int, share: float) -> None:
    """What the estimate lets through ends in one line as well, wherever the memory runs out."""
    limit_bytes = bare.own_bytes + int(share * needed_bytes)
    ended = tb_explain("report", unseen, "--max-memory", limit_bytes)
    assert ended.status == 1
    [line] = ended.lines
    assert "--max-memory" in line
    # What was reserved before the limit, and more of the libraries, come into use on top of it.
    assert ended.peak_bytes < bare.peak_bytes + (share + 0.4) * needed_bytes


def test_a_bomb_is_refused_soon(tmp_path: Path) -> None:
    bomb = tmp_path / "trace.json.gz"
    events = b'{"ph":"X","ts":1},' * 1000
    with gzip.open(bomb, "wb", 9) as file:
        file.write(b'{"traceEvents":[')
        for _ in range(5_000):
            file.write(events)
    assert bomb.stat().st_size < 2**20
    began = time.process_time()
    with limited_memory(own_bytes() + 300 * 10**6), pytest.raises(TraceError) as refusal:
        refuse_too_large(str(bomb))
    assert refusal.value.kind == "too_large"
    assert time.process_time() - began < 2


@pytest.mark.parametrize(("engine", "mib_per_mb"), [("c", 0.8), ("msgspec", 1.3)])
def test_a_report_and_its_timeline_stay_within_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, mib_per_mb: float
) -> None:
    """The process of the tab, on a trace of 90 MB with as much text an event as real ones have."""
    if engine == "c" and default_engine() != "c":
        pytest.skip("the scanner in C was not built")
    monkeypatch.setenv("TB_EXPLAIN_ENGINE", engine)
    trace = write_recorded_steps(tmp_path / "trace.json", 200)
    peak_mib = explain_in_tab(trace, tmp_path).peak_bytes / 2**20
    assert peak_mib <= 80 + mib_per_mb * trace.stat().st_size / 1e6


_REFUSED = """
import sys
from tb_plugin_explain.errors import TraceError
from tb_plugin_explain.trace.memory import limited_memory, own_bytes, refuse_too_large
for size in sys.argv[2:]:
    with limited_memory(own_bytes() + int(size)):
        try:
            refuse_too_large(sys.argv[1])
        except TraceError as error:
            print(error.kind)
        else:
            print("fits")
"""


@pytest.mark.parametrize(
    "name",
    [
        "hta__mtia_trace_single_rank_mtia_rank_0",  # of 456,000 entries 138,000 are events
        "hta__df_index_resolver_df_index_resolver",  # much of its GPU’s memory
        "tracelens__inference__xdit_flux.1_aiter_sage__profile_trace_rank_0",  # Python frames
    ],
)
def test_a_real_trace_is_estimated_at_what_it_takes_and_half_as_much(
    shared_traces: Path, tmp_path: Path, name: str
) -> None:
    trace = shared_traces / f"{name}.json.gz"
    needed = explain_in_tab(trace, tmp_path).needed_bytes
    assert run_python(_REFUSED, trace, needed, needed * 3 // 2).stdout.split() == ["too_large", "fits"]


# --- The way out ---


def test_a_step_is_cut_out_of_a_trace_that_is_too_large(
    large: Path, bare: Bare, too_little: str, tmp_path: Path
) -> None:
    narrow = tmp_path / "narrow.json"
    ended = tb_explain("slice", large, "--step", 50, "-o", narrow, "--max-memory", too_little)
    assert ended.status == 0
    assert ended.peak_bytes < bare.peak_bytes + TOO_LITTLE_BYTES
    assert narrow.read_bytes() == _whole(str(large), 50)


def test_a_step_that_is_not_there_is_told_of_the_trace_that_was_named(
    large: Path, too_little: str, tmp_path: Path
) -> None:
    ended = tb_explain("slice", large, "--step", 999, "-o", tmp_path / "out", "--max-memory", too_little)
    assert ended.status == 2
    [line] = ended.lines
    assert f"{large}: there is no step 999" in line


def test_a_step_that_is_too_large_itself_is_refused(too_little: str, tmp_path: Path) -> None:
    trace = write_steps(tmp_path / "trace.json", STEPS)
    text = trace.read_bytes().replace(b'"ts":1000,"dur":999', b'"ts":1000,"dur":999999999', 1)
    trace.write_bytes(text)
    ended = tb_explain("slice", trace, "--step", 1, "-o", tmp_path / "out", "--max-memory", too_little)
    assert ended.status == 2
    [line] = ended.lines
    assert f"step 1 of {trace}" in line


def _quiet(_phase: str, _share: float | None) -> None:
    pass


def _whole(path: str, number: int) -> bytes:
    out = io.BytesIO()
    write_slice(path, number, out, _quiet)
    return out.getvalue()


def _narrow(path: str, number: int) -> bytes:
    with narrowed(path, number, _quiet) as smaller:
        return _whole(smaller, number)


@pytest.mark.parametrize("path", [p for p in sorted(CASES.rglob("*.json")) if not p.name.endswith(ENDING)])
def test_narrowing_changes_no_slice_of_a_case(path: Path) -> None:
    try:
        steps = find_steps(read_trace(path)).steps
    except TraceError:
        return
    for number in {step.number for step in steps if step.number is not None}:
        assert _narrow(str(path), number) == _whole(str(path), number)


def test_narrowing_changes_no_slice_of_a_real_trace(shared_traces: Path) -> None:
    checked = 0
    for path in sorted(shared_traces.glob("*.json.gz")):
        if path.stat().st_size > 250_000:
            continue
        try:
            numbers = {step.number for step in find_steps(read_trace(path)).steps} - {None}
        except TraceError:
            continue
        for number in sorted(filter(None, numbers))[1:2]:
            assert _narrow(str(path), number) == _whole(str(path), number)
            checked += 1
    assert checked > 3


# --- In the tab ---

Ask = Callable[[str], Any]


@pytest.fixture
def ask(large: Path, too_little: str, tmp_path: Path) -> Iterator[Ask]:
    """Asks a route about the large trace, in a tab whose processes may take too little."""
    watcher = RunsWatcher(parse_logdirs(str(large.parent), ""), 0)
    services = routes.open_services(watcher, Cache(tmp_path), 1, max_bytes=int(too_little))
    yield lambda path: _settled(services, path)
    services.pool.close()
    watcher.close()


def _settled(services: Services, path: str) -> Any:
    deadline = time.monotonic() + 30
    while not (listed := body(routes.runs(services, {})))["scanned"]:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    [file] = listed["runs"][0]["files"]
    while (answer := body(routes.ROUTES[path](services, {"file": file["id"]})))["state"] != "error":
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return answer["error"]


@pytest.mark.parametrize("path", ["/report", "/timeline", "/names"])
def test_the_tab_says_so(ask: Ask, path: str) -> None:
    error = ask(path)
    assert (error["kind"], error["file"]) == ("too_large", "trace.json.gz")
    assert WAY_OUT in error["message"]
    assert "--explain_max_memory" in error["message"]


# --- Sizes ---


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("800M", 800e6),
        ("2GB", 2e9),
        ("1.5GiB", 1.5 * 2**30),
        ("2 gb", 2e9),
        ("128000000", 128e6),
        ("1T", 1e12),
    ],
)
def test_sizes(text: str, size: float) -> None:
    assert parse_size(text) == int(size)


@pytest.mark.parametrize("text", ["", "much", "-1GB", "75%", "1e9", "GB", "64M", "1" * 30, "٣GB"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UsageError, match="memory"):
        parse_size(text)


def test_a_limit_ends_with_its_work() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with limited_memory(None):
        soft, _ = resource.getrlimit(resource.RLIMIT_DATA)
        assert 0 < soft != resource.RLIM_INFINITY
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_what_is_available_is_less_than_the_machine_has() -> None:
    available = available_bytes()
    assert available is not None
    pages = Path("/proc/meminfo")
    if pages.exists():
        total = int(re.findall(r"MemTotal:\s+(\d+) kB", pages.read_text())[0]) * 1024
        assert 0 < available <= total
