"""The documents name what the code has, show what it prints, and link to what exists."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from msgspec import Struct

from scripts import generate_examples, generate_rule_docs
from tb_plugin_explain import errors, findings, report_schema
from tb_plugin_explain.analyses import settled
from tb_plugin_explain.comparison.rules import all_comparison_rules
from tb_plugin_explain.plugin import routes, share_routes
from tb_plugin_explain.report.warnings import WORDS
from tb_plugin_explain.rules import all_rules
from tb_plugin_explain.rules.unsettled_steps import REASONS

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "tb_plugin_explain"
DEFINITIONS = "\n".join(
    page.read_text(encoding="utf-8")
    for page in [ROOT / "docs" / "definitions.md", *sorted((ROOT / "docs" / "definitions").glob("*.md"))]
)
_LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
_PICTURES = ROOT / "docs" / "images"


def spans(text: str) -> set[str]:
    """What stands between backticks; `gpu[].idle_us` as `gpu.idle_us`."""
    return {found.replace("[]", "") for found in re.findall(r"`([^`\n]+)`", text)}


def sections(page: str) -> list[str]:
    """A page cut at its headings."""
    return re.split(r"(?m)^(?=#)", page)


def section(page: str, heading: str) -> str:
    (found,) = [s for s in sections(page) if s.splitlines() and s.splitlines()[0].lstrip("# ") == heading]
    return found


def rows_of(text: str) -> Mapping[str, str]:
    """The rows of a table by what their first cell has between backticks."""
    found = re.finditer(r"(?m)^\| (`[^|]*)\|.*$", text)
    return {name: row[0] for row in found for name in spans(row[1])}


@pytest.mark.parametrize("page", generate_rule_docs.PAGES, ids=lambda page: page.file)
def test_the_pages_of_rules_are_up_to_date(page: generate_rule_docs.Page) -> None:
    assert generate_rule_docs.is_up_to_date(page), "run: python scripts/generate_rule_docs.py"


@pytest.mark.parametrize("page", generate_rule_docs.PAGES, ids=lambda page: page.file)
def test_every_rule_says_its_verdicts_and_why_its_thresholds(page: generate_rule_docs.Page) -> None:
    for module, rule in generate_rule_docs.rule_modules(page.package):
        source = inspect.getsource(module)
        assert generate_rule_docs.verdicts(source), rule.id
        for threshold in generate_rule_docs.thresholds(source):
            assert threshold.reason, f"{rule.id}: {threshold.name} has no comment"


def test_every_rule_is_on_the_page() -> None:
    page = (ROOT / "docs" / "rules" / "README.md").read_text(encoding="utf-8")
    assert {rule.id for rule in all_rules()} == set(re.findall(r"(?m)^## (\S+)$", page))
    of_pairs = (ROOT / "docs" / "rules" / "comparison.md").read_text(encoding="utf-8")
    assert {rule.id for rule in all_comparison_rules()} == set(re.findall(r"(?m)^## (\S+)$", of_pairs))


def test_examples_are_what_the_program_prints() -> None:
    samples = generate_examples.samples()
    for name in generate_examples.PAGES:
        page = (ROOT / name).read_text(encoding="utf-8")
        assert f"<!-- {generate_examples.EXAMPLE}:" in page
        written_anew = generate_examples.with_examples(page, samples)
        assert page == written_anew, "run: python scripts/generate_examples.py"


def problems_with_data() -> Iterator[tuple[str, set[str]]]:
    """Each ``ReadProblem`` that the code makes with a kind written out, and the keys of its data."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "ReadProblem":
                kind, *rest = node.args
                if isinstance(kind, ast.Constant):
                    data = [d for d in rest if isinstance(d, ast.Dict)]
                    yield str(kind.value), {ast.literal_eval(key) for d in data for key in d.keys if key}


def test_the_table_of_warnings_has_every_kind_and_no_other() -> None:
    assert set(rows_of(section(DEFINITIONS, "Warnings"))) - {"kind"} == set(WORDS)


def test_every_warning_says_what_its_data_are() -> None:
    rows = rows_of(section(DEFINITIONS, "Warnings"))
    found = list(problems_with_data())
    assert len(found) > 10
    for kind, keys in found:
        assert keys <= spans(rows[kind]), kind


def test_every_reason_against_a_settled_step_is_defined() -> None:
    source = inspect.getsource(settled)
    rows = rows_of(section(DEFINITIONS, "`settled`"))
    assert set(rows) == set(REASONS)
    assert all(f'"{reason}"' in source for reason in rows)


def parts(hint: Any) -> Iterator[type[Struct]]:
    """The structs that a type is made of."""
    if isinstance(hint, type) and issubclass(hint, Struct):
        yield hint
    elif get_origin(hint) in (Union, UnionType, Sequence):
        for argument in get_args(hint):
            yield from parts(argument)


def fields_of(record: type[Struct], parent: str) -> Iterator[tuple[str, str]]:
    """Every field of the JSON with the name of the field that holds it."""
    hints = get_type_hints(record)
    for name in record.__struct_fields__:
        yield parent, name
        for part in parts(hints[name]):
            yield from fields_of(part, name)


def test_every_field_of_the_report_is_defined() -> None:
    """By `parent.field`, or by `field` in a section that names the parent."""
    missing = []
    for parent, field in fields_of(report_schema.Report, "report"):
        here = [s for s in sections(DEFINITIONS) if re.search(rf"\b{parent}\b", s) or parent == "report"]
        if f"{parent}.{field}" not in spans(DEFINITIONS) and not any(field in spans(s) for s in here):
            missing.append(f"{parent}.{field}")
    assert missing == []


def test_every_verdict_and_confidence_is_defined() -> None:
    for literal in (report_schema.HeadlineVerdict, report_schema.Confidence, findings.Verdict):
        assert set(get_args(literal)) <= spans(DEFINITIONS)


def test_every_error_is_explained() -> None:
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    assert set(rows_of(section(page, "Errors"))) - {"kind"} == set(get_args(errors.TraceErrorKind))


def test_every_route_is_described() -> None:
    page = (ROOT / "docs" / "http_api.md").read_text(encoding="utf-8")
    headings = " ".join(re.findall(r"(?m)^## (.*)$", page))
    for path in (*routes.ROUTES, *share_routes.ROUTES):
        assert f"`{path[1:]}" in headings


def pages() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout, so nothing says which pages are ours")
    return [ROOT / line for line in listed.stdout.splitlines()]


def anchor(heading: str) -> str:
    """The name that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    return {anchor(h) for h in re.findall(r"(?m)^#+ (.*)$", page.read_text(encoding="utf-8"))}


def links(page: Path) -> Iterator[tuple[bool, str]]:
    """Links of a page to other places of the repository: whether it is a picture, and where to."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    for picture, target in _LINK.findall(text):
        if not re.match(r"[a-z]+:", target):
            yield bool(picture), target


def test_links_lead_to_something() -> None:
    dead = []
    for page in pages():
        for picture, link in links(page):
            path, _, name = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            # Pictures are taken of the running tab; until the first one is, none can be there.
            found = target.exists() or (picture and not _PICTURES.exists())
            if not found or (name and name not in anchors(target)):
                dead.append(f"{page.relative_to(ROOT)}: {link}")
    assert dead == []


def test_files_that_the_architecture_names_exist() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = {span for span in spans(page) if re.fullmatch(r"[\w/]+\.(py|ts)|[\w/]+/", span)}
    assert len(named) > 30
    places = (ROOT, PACKAGE, PACKAGE / "trace")
    assert [name for name in sorted(named) if not any((place / name).exists() for place in places)] == []
