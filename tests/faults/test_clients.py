"""Many clients, slow ones and hostile ones, on a real TensorBoard that is at work."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.faults.cache_tabs import write_trace
from tests.faults.large_traces import write_steps
from tests.faults.servers import PLAYING, lives, serving, settled, until, workers_of
from tests.plugin.real_tensorboard import Reply, Server

CLIENTS = 50
PASSING_S = 1.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    scratch = tmp_path_factory.mktemp("clients")
    write_trace(scratch / "runs" / "eager" / "trace.json", 1, 2)
    write_trace(scratch / "runs" / "compiled" / "trace.json", 1, 2, 3)
    (scratch / "runs" / "secret.txt").write_text("SECRET")
    (scratch / "runs" / "secret.json").write_text('{"traceEvents": [], "SECRET": 1}')
    with serving(scratch, "--logdir", scratch / "runs") as running:
        yield running


def test_many_clients_of_one_trace_cause_one_analysis(tmp_path: Path) -> None:
    """From two browsers to fifty at once, who all get the same answer."""
    trace = tmp_path / "runs" / "trace.json"
    trace.parent.mkdir()
    trace.write_text("wait")
    with (
        serving(tmp_path, "--logdir", trace.parent, program=PLAYING) as server,
        ThreadPoolExecutor(CLIENTS) as pool,
    ):
        address = f"report?file={server.files()['runs/trace.json']}"
        first = list(pool.map(lambda _: server.plugin(address), range(CLIENTS)))
        assert {reply.json["state"] for reply in first} <= {"queued", "working"}
        waiting = [pool.submit(settled, server, address) for _ in range(CLIENTS)]
        trace.with_name("trace.json.go").touch()
        assert {json.dumps(answer.result()) for answer in waiting} == {'{"state": "ready", "report": "told"}'}
        assert len({server.plugin(address).headers["ETag"] for _ in range(3)}) == 1
    assert len(trace.with_name("trace.json.started").read_text().split()) == 1


def test_fifty_clients_of_everything(server: Server) -> None:
    files = server.files()
    first, second = (files[f"{run}/trace.json"] for run in ("eager", "compiled"))
    for address in (f"timeline?file={first}", f"timeline?file={second}"):
        assert settled(server, address)["state"] == "ready"
    addresses = [
        "runs",
        f"report?file={first}",
        f"names?file={second}",
        f"compare?baseline={first}&candidate={second}",
        f"timeline?file={second}",
        f"timeline/window?file={first}&from=0&to=2000000&px=900",
        f"event?file={first}&event=3",
        f"event/args?file={first}&event=6",
        f"search?file={second}&q=gemm",
        f"timeline/in_view?file={second}&from=0&to=2000000",
        f"ranks?file={first}",
        f"slice?file={second}&step=2",
        "what?name=aten::mm",
        "static/index.js",
    ]

    def ask(number: int) -> Reply:
        return server.plugin(addresses[number % len(addresses)], Accept_Encoding="gzip")

    with ThreadPoolExecutor(CLIENTS) as pool:
        replies = list(pool.map(ask, range(6 * CLIENTS)))
    assert {reply.status for reply in replies} == {200}
    assert all(settled(server, address)["state"] == "ready" for address in addresses[1:5])
    assert lives(server.process.pid)


# --- Slow clients ---


def connection(server: Server) -> socket.socket:
    address = urlsplit(server.url)
    return socket.create_connection((address.hostname, address.port), timeout=10)


def test_clients_that_send_slowly_or_read_nothing_hold_nobody_up(server: Server) -> None:
    with ExitStack() as open_ones:
        for number in range(60):
            slow = open_ones.enter_context(connection(server))
            if number % 3 == 0:
                slow.sendall(b"GET /data/plugin/explain/runs HTTP/1.1\r\nHost: localhost\r\nX-A: ")
            elif number % 3 == 1:
                slow.sendall(b"G")
            else:
                # Asks for the largest file of the page, and never reads it.
                slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
                slow.sendall(
                    b"GET /data/plugin/explain/static/index.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3
                )
        for path in ("data/environment", "data/plugins_listing", "data/plugin/explain/runs"):
            replies = [server.get(path) for _ in range(5)]
            assert {reply.status for reply in replies} == {200}
            assert min(reply.seconds for reply in replies) < PASSING_S
    assert server.plugin("runs").status == 200


# --- Hostile requests ---


def raw(server: Server, request: bytes) -> bytes:
    """All that comes back for these bytes."""
    with connection(server) as opened:
        opened.settimeout(5)
        received = b""
        # The server may close a connection that makes no sense, before it has all of it.
        with suppress(OSError):
            opened.sendall(request)
            opened.shutdown(socket.SHUT_WR)
        with suppress(OSError):
            while piece := opened.recv(65536):
                received += piece
        return received


def get(path: bytes, *headers: bytes, method: bytes = b"GET", version: bytes = b"HTTP/1.0") -> bytes:
    return b"\r\n".join([method + b" " + path + b" " + version, b"Host: localhost", *headers, b"", b""])


OURS = b"/data/plugin/explain/"
TRAVERSALS = [
    b"static/../../../../etc/passwd",
    b"static/..%2f..%2f..%2fetc%2fpasswd",
    b"static/%2e%2e/%2e%2e/loader.py",
    b"static/....//....//etc/passwd",
    b"static/..\\..\\loader.py",
    b"static/%00",
    b"static/index.js%00.png",
    b"static//etc/passwd",
    b"static/%c0%ae%c0%ae/loader.py",
    b"report?file=/etc/passwd",
    b"report?file=../secret.txt",
    b"report?file=secret.json",
    b"report?file=%00",
    b"report?file=" + b"A" * 24,
    b"export?format=json&file=../secret.json",
    b"slice?file=secret.json&step=1",
    b"event/args?file=../../secret.json&event=0",
    b"names?file=file%3A%2F%2F%2Fetc%2Fpasswd",
    b"../explain/../../../secret.txt",
    b"%2e%2e%2f%2e%2e%2fsecret.txt",
]


@pytest.mark.parametrize("path", TRAVERSALS)
def test_no_path_reaches_the_file_system(server: Server, path: bytes) -> None:
    server.files()
    answer = raw(server, get(OURS + path))
    assert b" 404 " in answer.split(b"\r\n", 1)[0]
    assert b"SECRET" not in answer
    assert b"root:" not in answer


NONSENSE = {
    "long query": get(OURS + b"report?file=" + b"a" * 60_000),
    "too long a line": get(OURS + b"report?file=" + b"a" * 200_000),
    "many parameters": get(OURS + b"search?" + b"&".join(b"q=%d" % n for n in range(9_000))),
    "long name": get(OURS + b"what?name=" + b"%F0%9F%98%80" * 4_000),
    "huge numbers": get(
        OURS + b"timeline/window?file=x&from=-" + b"9" * 5_000 + b"&to=" + b"9" * 5_000 + b"&px=1"
    ),
    "no numbers": get(OURS + b"timeline/window?file=x&from=NaN&to=Infinity&px=1e3"),
    "other digits": get(OURS + "slice?file=x&step=٣".encode()),
    "many lanes": get(OURS + b"timeline/window?file=x&from=0&to=1&px=1&lanes=" + b"1," * 20_000),
    "bad escapes": get(OURS + b"what?name=%zz%&category=%ff%fe"),
    "no text": get(OURS + b"what?name=\xff\xfe\x80"),
    "header in a name": get(OURS + b"export?file=x%0d%0aSet-Cookie:%20a=b&format=json"),
    "many headers": get(OURS + b"runs", *(b"X-%d: y" % n for n in range(500))),
    "long header": get(OURS + b"runs", b"Cookie: " + b"c" * 100_000),
    "odd header": get(OURS + b"runs", b"If-None-Match: \xff\xfe", b"Accept-Encoding: gzip;q=nan, *;q=-1"),
    "odd range": get(OURS + b"static/index.js", b"Range: bytes=5-1,99999999999999999999-"),
    "old protocol": b"GET " + OURS + b"runs\r\n\r\n",
    "other protocol": get(OURS + b"runs", version=b"HTTP/9.9"),
    "made-up method": get(OURS + b"runs", method=b"BREW"),
    "negative length": get(OURS + b"runs", b"Content-Length: -1"),
    "endless length": get(OURS + b"runs", b"Content-Length: 99999999999999999999"),
    "broken chunks": get(OURS + b"runs", b"Transfer-Encoding: chunked") + b"ZZ\r\n\r\n",
    "not HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)),
    "nothing": b"",
    "two in one": get(OURS + b"runs", version=b"HTTP/1.1") * 2,
}


@pytest.mark.parametrize("request_bytes", NONSENSE.values(), ids=NONSENSE.keys())
def test_nonsense_is_refused_and_forgotten(server: Server, request_bytes: bytes) -> None:
    before = len(server.log)
    answer = raw(server, request_bytes)
    if answer.startswith(b"HTTP/"):
        assert int(answer.split(b" ", 2)[1]) not in (500, 502)
    assert b"Set-Cookie" not in answer
    assert b"Traceback" not in answer
    assert server.plugin("runs").status == 200
    assert "Explain:" not in "".join(server.log[before:])


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
def test_nothing_but_get_does_anything(server: Server, method: str) -> None:
    for path in (
        "runs",
        "report?file=x",
        "compare",
        "names",
        "slice",
        "export",
        "timeline/window",
        "what?name=a",
    ):
        assert server.plugin(path, method).status == 405


def test_pages_of_other_origins_are_told_nothing(server: Server) -> None:
    """Their scripts may ask, as TensorBoard looks at no origin: browsers keep the answers from them."""
    foreign = {"Host": "evil.example", "Origin": "https://evil.example", "Referer": "https://evil.example/x"}
    for path in ("runs", f"report?file={server.files()['eager/trace.json']}", "static/index.js"):
        reply = server.plugin(path, **foreign)
        assert not [name for name in reply.headers if name.lower().startswith("access-control")]
        assert reply.headers["X-Content-Type-Options"] == "nosniff"
        assert b"evil.example" not in reply.body
        assert "evil.example" not in str(reply.headers)
    preflight = server.plugin(
        "runs", "OPTIONS", **foreign, Access_Control_Request_Method="GET", Access_Control_Request_Headers="x"
    )
    assert preflight.status == 405
    assert "access-control-allow-origin" not in str(preflight.headers).lower()


# --- Other tabs ---


def test_other_tabs_stay_responsive_while_traces_are_analysed(tmp_path: Path) -> None:
    """With both processes at work, and clients who ask how far they are."""
    for number in range(2):
        (tmp_path / "runs").mkdir(exist_ok=True)
        write_steps(tmp_path / "runs" / f"{number}_trace.json.gz", 400)
    with serving(tmp_path, "--logdir", tmp_path / "runs", "--explain_workers", 2) as server:
        addresses = [f"report?file={file_id}" for file_id in server.files().values()]
        states = [server.plugin(address).json["state"] for address in addresses]
        until(lambda: len(workers_of(server)), lambda count: count == 2)
        taken = []
        while not {"ready", "error"} & set(states):
            taken += [server.get(path).seconds for path in ("data/environment", "data/plugins_listing")]
            states = [server.plugin(address).json["state"] for address in addresses]
        assert set(states) <= {"ready", "working", "queued"}
    taken.sort()
    assert len(taken) > 10
    assert taken[len(taken) // 2] < 0.2
    assert taken[int(len(taken) * 0.99)] < PASSING_S
