"""The built page, from the package's ``static`` directory and nowhere else."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from msgspec import Struct

STATIC = Path(__file__).resolve().parent.parent / "static"

_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
# The bundler's hash: 8 characters after a hyphen. One without a digit could be a word; it is not kept long.
_HASHED = re.compile(r"-(?=[\w-]*\d)[\w-]{8}\.[a-z0-9.]+$")


class StaticFile(Struct, frozen=True):
    """``hashed``: its name changes with its content, so that it may be kept for ever."""

    content: bytes
    content_type: str
    etag: str
    hashed: bool


def read(directory: Path, name: str) -> StaticFile | None:
    """One file by its exact name relative to the directory; None where there is no such file."""
    path = _allowed(directory).get(name)
    if path is None:
        return None
    content = path.read_bytes()
    etag = hashlib.blake2b(content, digest_size=16).hexdigest()
    content_type = _TYPES.get(path.suffix, "application/octet-stream")
    return StaticFile(content, content_type, etag, _HASHED.search(name) is not None)


def _allowed(directory: Path) -> dict[str, Path]:
    """What is really there, by name: a name that is made up finds nothing, whatever it is made of."""
    root = directory.resolve()
    return {
        path.relative_to(root).as_posix(): path
        for path in root.rglob("*")
        if path.is_file() and path.resolve().is_relative_to(root)
    }
