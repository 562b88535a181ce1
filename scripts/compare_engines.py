"""Compares what the scanner in C and msgspec make of every trace of a folder, large ones too.

compare_engines.py FOLDER    prints the files that differ, and fails if there are any
"""

from __future__ import annotations

import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from tests.trace.engines import first_difference, outcome


def main(folder: str) -> int:
    files = sorted(path for path in Path(folder).rglob("*.json*") if path.is_file())
    different = 0
    for file in files:
        found = first_difference(outcome(file, "c"), outcome(file, "msgspec"))
        if found:
            different += 1
            print(f"{file.name}: {found}")
    print(f"{len(files)} files, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
