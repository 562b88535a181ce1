"""One way to go through a trace, in a process of its own: what reading can cost at least and at most.

python benchmarks/limits.py json|inflate|boundaries|columns TRACE.json.gz
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Callable, Iterator

from isal import igzip

CHUNK_BYTES = 1 << 20
# Where an event ends and the next one begins.
_BOUNDARY = re.compile(rb"\}\s*,\s*\{")


def chunks(path: str) -> Iterator[bytes]:
    with igzip.open(path, "rb") as stream:  # type: ignore[no-untyped-call]
        while chunk := stream.read(CHUNK_BYTES):
            yield chunk


def with_json(path: str) -> None:
    with gzip.open(path, "rb") as stream:
        text = stream.read()
    json.loads(text)


def inflate(path: str) -> None:
    for _ in chunks(path):
        pass


def boundaries(path: str) -> None:
    sum(len(_BOUNDARY.findall(chunk)) for chunk in chunks(path))


def columns(path: str) -> None:
    from tb_plugin_explain.process import prepare_process

    prepare_process()
    from tb_plugin_explain.trace.reader import read_trace

    read_trace(path)


WAYS: dict[str, Callable[[str], None]] = {
    "json": with_json,
    "inflate": inflate,
    "boundaries": boundaries,
    "columns": columns,
}

if __name__ == "__main__":
    WAYS[sys.argv[1]](sys.argv[2])
