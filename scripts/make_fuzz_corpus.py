"""Writes the seeds of fuzz/corpus: the events of the test cases, cut small, and every kind of event once."""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

from tests.trace.test_engines import SMALL

LARGEST_BYTES = 1500
_EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')


def inside_of_events(text: bytes) -> bytes:
    """The text from the first event on, of a document or of a bare list."""
    found = _EVENTS.search(text)
    return (text[found.end() :] if found else text.lstrip()[1:])[:LARGEST_BYTES]


def main() -> None:
    corpus = REPOSITORY / "fuzz" / "corpus"
    texts = [SMALL, *(file.read_bytes() for file in sorted(REPOSITORY.glob("tests/samples/cases/*.json")))]
    seeds = {b"\x10" + inside_of_events(text) for text in texts if b'"ph"' in text[:LARGEST_BYTES]}
    seeds.add(b"S" + bytes(range(0, 240, 7)))
    for seed in seeds:
        (corpus / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)


if __name__ == "__main__":
    main()
