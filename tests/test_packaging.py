"""What `pip install` lays down works without the repository, and without Node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

import tb_plugin_explain

COMPILER = os.environ.get("CC") or str(sysconfig.get_config_var("CC") or "cc").split()[0]
REPOSITORY = Path(__file__).resolve().parent.parent
BUILT_FROM = ["LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py"]


def pip(*arguments: str, **environment: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    finished = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300, check=False
    )
    assert finished.returncode == 0, finished.stderr


def copy_tree(source: Path) -> None:
    """What a wheel is built from, without what an earlier build left."""
    for name in BUILT_FROM:
        shutil.copy(REPOSITORY / name, source)
    shutil.copytree(
        REPOSITORY / "tb_plugin_explain",
        source / "tb_plugin_explain",
        ignore=shutil.ignore_patterns("__pycache__", "*.so"),
    )


def build_wheel(source: Path, built: Path, **environment: str) -> Path:
    """The wheel of this tree."""
    copy_tree(source)
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(built), str(source), **environment)
    (file,) = built.iterdir()
    return file


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    return zipfile.ZipFile(wheel).namelist()


def metadata(wheel: Path, name: str) -> str:
    information = f"tb_plugin_explain-{tb_plugin_explain.__version__}.dist-info"
    return zipfile.ZipFile(wheel).read(f"{information}/{name}").decode()


def test_the_wheel_holds_the_page_the_samples_and_the_type_marker(names: list[str]) -> None:
    package = REPOSITORY / "tb_plugin_explain"
    wanted = [package / "py.typed", *(package / "static").rglob("*"), *(package / "samples").rglob("*")]
    missing = {path.relative_to(REPOSITORY).as_posix() for path in wanted if path.is_file()} - set(names)
    assert "tb_plugin_explain/static/index.js" in names
    assert not missing


def test_the_wheel_holds_every_module_and_nothing_but_the_package(names: list[str]) -> None:
    modules = {
        path.relative_to(REPOSITORY).as_posix() for path in REPOSITORY.glob("tb_plugin_explain/**/*.py")
    }
    assert modules <= set(names)
    assert {name.split("/")[0].split("-")[0] for name in names} == {"tb_plugin_explain"}


def test_the_wheel_announces_the_tab_and_the_command(wheel: Path) -> None:
    points = metadata(wheel, "entry_points.txt")
    assert "[tensorboard_plugins]\nexplain = tb_plugin_explain.loader:ExplainLoader" in points
    assert "[console_scripts]\ntb-explain = tb_plugin_explain.__main__:program" in points


def test_the_wheel_asks_for_few_packages_and_never_for_torch(wheel: Path) -> None:
    described: Message = Parser().parsestr(metadata(wheel, "METADATA"))
    required = [line for line in described.get_all("Requires-Dist", []) if "extra ==" not in line]
    packages = {line.partition(">")[0] for line in required}
    assert packages == {"isal", "msgspec", "numpy", "platformdirs", "rich", "tensorboard"}
    assert described["Version"] == tb_plugin_explain.__version__
    assert described["License-Expression"] == "Apache-2.0"


@pytest.mark.skipif(shutil.which(COMPILER) is None, reason=f"there is no compiler: {COMPILER}")
def test_one_wheel_holds_the_scanner_for_every_python_from_3_11_on(wheel: Path, names: list[str]) -> None:
    assert "-cp311-abi3-" in wheel.name
    assert [name for name in names if name.endswith((".so", ".pyd"))] == [
        "tb_plugin_explain/trace/_scan.abi3.so"
    ]
    assert not [name for name in names if name.endswith((".c", ".h"))]


_FREE_THREADED = """
import runpy, sys, sysconfig
sysconfig.get_config_vars()["Py_GIL_DISABLED"] = 1
sys.argv = ["setup.py", "--quiet", "bdist_wheel", "--dist-dir", sys.argv[1]]
runpy.run_path("setup.py", run_name="__main__")
"""


def test_a_free_threaded_python_builds_a_wheel_of_its_own(tmp_path: Path) -> None:
    """Told by the variable alone: its compiler would refuse the scanner, which is optional."""
    source, built = tmp_path / "source", tmp_path / "wheel"
    source.mkdir()
    copy_tree(source)
    command = [sys.executable, "-c", _FREE_THREADED, str(built)]
    environment = {**os.environ, "CC": "no-such-compiler"}
    finished = subprocess.run(
        command, cwd=source, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert finished.returncode == 0, finished.stderr
    [wheel] = built.iterdir()
    assert "abi3" not in wheel.name


def test_without_a_compiler_it_is_built_and_reads_with_msgspec(tmp_path: Path) -> None:
    source, built, installed = tmp_path / "source", tmp_path / "wheel", tmp_path / "installed"
    source.mkdir()
    built.mkdir()
    wheel = build_wheel(source, built, CC="no-such-compiler")
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if "_scan." in name and ".pyi" not in name]
    pip("install", "--no-deps", "--target", str(installed), str(wheel))
    finished = subprocess.run(
        [sys.executable, "-P", "-m", "tb_plugin_explain", "--version"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.stdout == f"tb-explain {tb_plugin_explain.__version__}, engine: msgspec\n", (
        finished.stderr
    )


def test_what_is_installed_loads_without_the_repository(wheel: Path, tmp_path: Path) -> None:
    pip("install", "--no-deps", "--target", str(tmp_path), str(wheel))
    program = (
        "import json, tb_plugin_explain.demo as d, tb_plugin_explain.loader, tb_plugin_explain.cli;"
        "print(json.dumps([d.__file__, sorted(p.name for p in d.SAMPLES.iterdir() if p.is_dir())]))"
    )
    finished = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    file, runs = json.loads(finished.stdout)
    assert Path(file).is_relative_to(tmp_path)
    assert "mlp_eager" in runs
