"""The scanner, built with AddressSanitizer and UBSan, on all small files there are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent.parent
SOURCES = sorted((REPOSITORY / "tb_plugin_explain" / "trace" / "scan_c").glob("*.c"))
CASES = sorted((REPOSITORY / "tests" / "samples" / "cases").glob("*"))
SMALL_BYTES = 100_000

RUNTIMES = ("libasan.so", "libubsan.so")


def runtime(name: str) -> Path:
    """Where gcc has this library; just its name where it has none."""
    found = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return Path(found.stdout.strip())


def has_sanitizers() -> bool:
    return shutil.which("gcc") is not None and all(runtime(name).is_file() for name in RUNTIMES)


pytestmark = pytest.mark.skipif(not has_sanitizers(), reason="there is no gcc with libasan and libubsan")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scanner with sanitizers that stop at the first finding."""
    library = tmp_path_factory.mktemp("sanitized") / "_scan.abi3.so"
    flags = ["-g", "-O1", "-shared", "-fPIC", "-DPy_LIMITED_API=0x030b0000"]
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    include = f"-I{sysconfig.get_paths()['include']}"
    subprocess.run(["gcc", *flags, *sanitizers, include, *SOURCES, "-o", library], check=True)
    return library


def assert_nothing_is_found(library: Path, files: list[Path]) -> None:
    environment = {
        **os.environ,
        "LD_PRELOAD": " ".join(str(runtime(name)) for name in RUNTIMES),
        # The interpreter itself keeps memory to its end; test_leaks.py looks at what the scanner keeps.
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(REPOSITORY),
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.trace.sanitized", library, *files],
        env=environment, cwd=REPOSITORY, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    assert f"{len(files)} files alike" in done.stdout


def test_the_sanitizers_find_nothing_in_the_cases(library: Path) -> None:
    files = [file for file in CASES if file.is_file() and not file.name.endswith(".expected.json")]
    assert files
    assert_nothing_is_found(library, files)


def test_the_sanitizers_find_nothing_in_small_real_traces(library: Path, shared_traces: Path) -> None:
    files = [file for file in shared_traces.glob("*.gz") if file.stat().st_size <= SMALL_BYTES]
    assert files
    assert_nothing_is_found(library, files)
