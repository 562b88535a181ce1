"""``tb-explain what`` and ``GET what``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tb_plugin_explain import cli
from tb_plugin_explain.plugin import answers, routes
from tb_plugin_explain.plugin.cache import Cache
from tb_plugin_explain.plugin.watcher import RunsWatcher
from tb_plugin_explain.plugin.workers import REPORT_JOB
from tb_plugin_explain.runs import parse_logdirs
from tb_plugin_explain.terminal import BAD_INPUT, OK


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["what", "ampere_sgemm_128x64_tn"]) == OK
    told = capsys.readouterr().out
    assert told.startswith("Matrix multiply in fp32, without tensor cores\nampere_sgemm_128x64_tn\n")
    assert "Tensor cores: no" in told
    assert "tile: " in told


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["what", "event_wait", "--category", "mtia_ccp_events", "--format", "json"]
    assert cli.main(arguments) == OK
    explanation = json.loads(capsys.readouterr().out)
    assert explanation["entry"] == "sync.mtia-wait"
    assert explanation["tensor_cores"] is None


def test_control_characters_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["what", "evil\x1b[31m\nname"]) == OK
    assert "\x1b" not in capsys.readouterr().out


@pytest.fixture
def services(tmp_path: Path) -> answers.Services:
    watcher = RunsWatcher(parse_logdirs(str(tmp_path), ""), 60.0)
    return routes.open_services(watcher, Cache(tmp_path / "cache"), 1, static=tmp_path, job=REPORT_JOB)


def ask(services: answers.Services, **query: str) -> tuple[int, Any]:
    answer = routes.ROUTES["/what"](services, query)
    return answer.status, json.loads(answer.body)


def test_route(services: answers.Services) -> None:
    status, answer = ask(services, name="cudaFree", category="cuda_runtime")
    assert status == 200
    assert answer["explanation"]["entry"] == "runtime.free"
    assert "driver" in {term["id"] for term in answer["terms"]}
    assert answer["schema"] == 1


def test_route_without_a_category(services: answers.Services) -> None:
    assert ask(services, name="cudaFree")[1]["explanation"]["category"] == "runtime"


@pytest.mark.parametrize(
    ("query", "kind"),
    [({}, "missing_name"), ({"name": ""}, "missing_name"), ({"name": "x" * 40_000}, "name_too_long")],
)
def test_route_refuses(services: answers.Services, query: dict[str, str], kind: str) -> None:
    status, answer = ask(services, **query)
    assert status == 400
    assert answer["error"]["kind"] == kind


def test_an_unknown_category_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["what", "aten::mm", "--category", "kernl"]) == BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "--category kernl: there is no such category; choose one of kernel, cpu_op" in captured.err


@pytest.mark.parametrize(
    "category", ["kernel", "Kernel", "CPU_OP", "runtime", "hip_runtime", "cuda_driver", "other"]
)
def test_categories_of_traces_and_of_answers_are_taken(category: str) -> None:
    assert cli.main(["what", "aten::mm", "--category", category]) == OK


def test_every_category_that_the_refusal_lists_is_taken() -> None:
    for category in cli.CATEGORIES.split(", "):
        assert cli.main(["what", "aten::mm", "--category", category]) == OK


def test_an_unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["what", "zzz"]) == OK
    told = capsys.readouterr().out
    assert "We do not know this name. Copy it whole from the trace; if you know its category" in told
    assert "add --category kernel" in told
    assert "The file" not in told


def test_a_word(capsys: pytest.CaptureFixture[str], services: answers.Services) -> None:
    assert cli.main(["what", "lane offset"]) == OK
    told = capsys.readouterr().out
    assert told.startswith("lane offset\n\nHow long after its launch call")
    assert "A problem?" not in told
    status, answer = ask(services, name="lane offset")
    assert status == 200
    assert answer["explanation"]["category"] == "word"
    assert "launch" in {term["id"] for term in answer["terms"]}
