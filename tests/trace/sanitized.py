"""Run as a program: both engines on the files given, with the scanner of the first argument."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path

NAME = "tb_plugin_explain.trace._scan"


def load_scanner(library: str) -> None:
    """Put the scanner of this file in the place of the one that is installed."""
    loader = importlib.machinery.ExtensionFileLoader(NAME, library)
    spec = importlib.util.spec_from_file_location(NAME, library, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[NAME] = module


def main(library: str, *files: str) -> None:
    import tb_plugin_explain.trace

    load_scanner(library)
    tb_plugin_explain.trace._scan = sys.modules[NAME]
    from tests.trace.engines import first_difference, outcome

    for file in map(Path, files):
        expected = outcome(file, "msgspec")
        for chunk_bytes in (1, 1000, 1 << 18):
            different = first_difference(outcome(file, "c", chunk_bytes=chunk_bytes), expected)
            assert not different, f"{file}: {different}"
    print(f"{len(files)} files alike")


if __name__ == "__main__":
    main(*sys.argv[1:])
