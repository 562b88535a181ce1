"""TensorBoard imports the loader at every start, and must survive whatever is wrong with the rest."""

from __future__ import annotations

import argparse
import logging
import subprocess
import sys
from typing import Any

import pytest
from tensorboard.plugins import base_plugin

from tb_plugin_explain.loader import ExplainLoader


def context(**flags: Any) -> base_plugin.TBContext:
    return base_plugin.TBContext(logdir="runs", flags=argparse.Namespace(**flags))


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    loader = ExplainLoader()
    loader.define_flags(parser)
    flags = parser.parse_args(arguments)
    loader.fix_flags(flags)
    return flags


def test_importing_the_loader_imports_nothing_heavy() -> None:
    program = (
        "import sys, tb_plugin_explain.loader\n"
        "print(*sorted(name for name in sys.modules if name.startswith('tb_plugin_explain')))\n"
        "heavy = {'numpy', 'msgspec', 'isal', 'rich', 'platformdirs', 'werkzeug', 'grpc', 'google'}\n"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["tb_plugin_explain tb_plugin_explain.loader", ""]


def test_flags_have_defaults() -> None:
    flags = parse()
    assert (flags.explain_workers, flags.explain_cache_dir, flags.explain_max_memory) == (2, "", "")
    flags = parse("--explain_workers", "4", "--explain_cache_dir", "none")
    assert (flags.explain_workers, flags.explain_cache_dir) == (4, "none")
    assert parse("--explain_max_memory", "8GB").explain_max_memory == "8GB"


def test_no_workers_is_refused() -> None:
    with pytest.raises(base_plugin.FlagsError, match="1 or more"):
        parse("--explain_workers", "0")


@pytest.mark.parametrize("size", ["much", "80%", "1MB", "-1"])
def test_an_odd_amount_of_memory_is_refused(size: str) -> None:
    with pytest.raises(base_plugin.FlagsError, match=r"--explain_max_memory: .* memory"):
        parse(f"--explain_max_memory={size}")


def test_the_plugin_is_loaded() -> None:
    plugin = ExplainLoader().load(context(logdir_spec="", reload_interval=5.0, explain_cache_dir="none"))
    assert plugin.plugin_name == "explain"
    timeline = {"/timeline", "/timeline/window", "/timeline/in_view", "/event", "/event/args", "/search"}
    of_files = {"/runs", "/report", "/compare", "/names", "/what", "/export", "/slice", "/ranks"}
    assert set(plugin.get_plugin_apps()) == {*of_files, *timeline, "/static/*"}


def test_flags_of_ours_may_be_missing() -> None:
    assert ExplainLoader().load(context()) is not None
    assert ExplainLoader().load(base_plugin.TBContext(logdir=None, flags=None)).is_active() is False


def test_a_failure_is_one_line_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "tb_plugin_explain.plugin.plugin", None)
    with caplog.at_level(logging.ERROR):
        assert ExplainLoader().load(context()) is None
    [record] = caplog.records
    assert "Explain tab could not be loaded" in record.message
    assert "\n" not in record.message
    assert record.exc_info is None
