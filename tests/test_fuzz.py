"""A short run of the fuzz target, the same one each time; fuzz/README.md tells of long ones."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
CLANG = os.environ.get("CLANG", "clang")
# Some seconds of one CPU; inputs by chance are for long runs.
RUNS = 30_000
LONGEST_S = 120


def has_libfuzzer(directory: Path) -> bool:
    """Whether this clang can build a fuzz target: its runtime is a package of its own."""
    if shutil.which(CLANG) is None:
        return False
    source = directory / "empty.c"
    source.write_text("int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n ? 0 : 0; }")
    command = [CLANG, "-fsanitize=fuzzer,address,undefined", str(source), "-o", str(directory / "empty")]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def found_in(directory: Path) -> str:
    """The bytes of the inputs that failed, to be put into the corpus."""
    kinds = ("crash", "leak", "oom", "timeout")
    found = [path for kind in kinds for path in sorted(directory.glob(f"{kind}-*"))]
    return "".join(f"\n{path.name}: {path.read_bytes()!r}" for path in found)


def test_no_input_breaks_the_scanner(tmp_path: Path) -> None:
    if not has_libfuzzer(tmp_path):
        pytest.skip("no clang with libFuzzer (Debian: clang, libclang-rt-14-dev)")
    run = tmp_path / "run"
    done = subprocess.run(
        [REPOSITORY / "fuzz" / "run.sh", str(LONGEST_S), run, "-seed=1", f"-runs={RUNS}"],
        capture_output=True,
        text=True,
        timeout=LONGEST_S + 240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:] + found_in(run)
