"""Only what is in the directory is served, under its exact name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb_plugin_explain.plugin import static_files


@pytest.fixture
def static(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("secret")
    directory = tmp_path / "static"
    (directory / "fonts").mkdir(parents=True)
    (directory / "index.js").write_text("export {}")
    (directory / "chunk-a1B2c3D4.js").write_text("chunk")
    (directory / "index-Zz9_x-8y.css").write_text("body {}")
    (directory / "fonts" / "one.woff2").write_bytes(b"font")
    (directory / "leak.js").symlink_to(tmp_path / "secret.txt")
    (directory / "up").symlink_to(tmp_path)
    return directory


@pytest.mark.parametrize(
    ("name", "content_type", "hashed"),
    [
        ("index.js", "text/javascript", False),
        ("chunk-a1B2c3D4.js", "text/javascript", True),
        ("index-Zz9_x-8y.css", "text/css", True),
        ("fonts/one.woff2", "font/woff2", False),
    ],
)
def test_what_is_there(static: Path, name: str, content_type: str, hashed: bool) -> None:
    found = static_files.read(static, name)
    assert found is not None
    assert (found.content_type, found.hashed) == (content_type, hashed)
    assert found.content == (static / name).read_bytes()


@pytest.mark.parametrize(
    "name",
    [
        "",
        "../secret.txt",
        "fonts/../index.js",
        "./index.js",
        "/index.js",
        "fonts",
        "leak.js",
        "up/secret.txt",
        "index.js\0",
        "INDEX.JS",
        "missing.js",
    ],
)
def test_what_is_not(static: Path, name: str) -> None:
    assert static_files.read(static, name) is None


def test_words_are_no_hashes(static: Path) -> None:
    (static / "worker-timeline.js").write_text("worker")
    found = static_files.read(static, "worker-timeline.js")
    assert found is not None
    assert not found.hashed


def test_the_etag_follows_the_content(static: Path) -> None:
    before = static_files.read(static, "index.js")
    (static / "index.js").write_text("export { render }")
    after = static_files.read(static, "index.js")
    assert before is not None
    assert after is not None
    assert before.etag != after.etag


def test_no_directory_no_files(tmp_path: Path) -> None:
    assert static_files.read(tmp_path / "missing", "index.js") is None
