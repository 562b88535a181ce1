"""Parts of self-contained pages: no script, nothing from elsewhere, every text escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from tb_plugin_explain.text_parts import printable

# Nothing may be fetched and nothing may run; the page brings its own style.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_CODE = re.compile(r"`([^`\n]+)`")
# Longer tables show the rest on demand.
_FIRST_ROWS = 15

_STYLE = """
:root { color-scheme: light dark; --bg:#f6f7f9; --surface:#fff; --raised:#f0f2f5; --line:#e2e6ec;
  --text:#141d2b; --text-2:#455164; --text-3:#5f6c7e; --compute:#2e78c7; --idle:#ead9b5; --cpu:#8494ab;
  --profiler:#7d8896; --fix:#b34700; --bubble:#d4550b; --undecided:#5b4a9c }
@media (prefers-color-scheme: dark) { :root { --bg:#0e1217; --surface:#151b23; --raised:#1c242e;
  --line:#28323e; --text:#e8edf4; --text-2:#b3bfcc; --text-3:#8d9aab; --compute:#5fa3ea; --idle:#5c5138;
  --cpu:#64748a; --profiler:#717d8b; --fix:#ff9d66; --bubble:#ff8a4a; --undecided:#b6a8f5 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 1100px; padding: 24px; background: var(--bg); color: var(--text);
  font: 13px/1.5 -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums }
h1 { margin: 4px 0; font-size: 25px; line-height: 32px }
h2 { margin: 0 0 8px; font-size: 17px } h3 { margin: 12px 0 4px; font-size: 14px }
p { margin: 4px 0 8px; max-width: 75ch; overflow-wrap: anywhere }
section { margin: 16px 0; padding: 14px 16px; background: var(--surface); border: 1px solid var(--line);
  border-radius: 8px; overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: 12px }
th { color: var(--text-3); font-weight: 400; text-align: left; vertical-align: bottom }
th, td { padding: 3px 8px; border-top: 1px solid var(--line); vertical-align: top }
thead th { border-top: 0 }
.figure { text-align: right; white-space: nowrap }
td { max-width: 340px; overflow-wrap: anywhere }
.dim { color: var(--text-3) } .lead { color: var(--text-2); font-size: 14px }
.fix { color: var(--fix) } .undecided { color: var(--undecided) }
.verdict { font-weight: 600 } details { margin: 4px 0 } summary { cursor: pointer }
pre, code { font: 12px/18px ui-monospace, Menlo, Consolas, monospace }
pre { margin: 4px 0; padding: 8px 10px; background: var(--raised); border-radius: 6px; overflow: auto }
svg { display: block; max-width: 100% } svg text { fill: var(--text-3); font-size: 11px }
@media print { body { background: none } section { break-inside: avoid } }
"""


def text(words: str) -> str:
    """A text out of a trace or of ours, as text."""
    return escape(printable(words))


def name(words: str) -> str:
    """The same, kept apart from the direction of what is around it."""
    return f"<bdi>{text(words)}</bdi>"


def prose(words: str) -> str:
    """Paragraphs, ``code`` between backticks, and code that is indented by four or fenced."""
    parts: list[tuple[bool, list[str]]] = []
    fenced, open_ = False, False
    for line in words.split("\n"):
        if line.lstrip().startswith("```"):
            fenced, open_ = not fenced, False
            continue
        code = fenced or line.startswith("    ")
        if not code and not line.strip():
            open_ = False
            continue
        if not open_ or parts[-1][0] != code:
            parts.append((code, []))
        parts[-1][1].append(line if fenced or not code else line[4:])
        open_ = True
    return "".join(_block(code, lines) for code, lines in parts)


def _block(code: bool, lines: Sequence[str]) -> str:
    if code:
        return f"<pre>{chr(10).join(map(text, lines))}</pre>"
    return f"<p>{_CODE.sub(lambda found: f'<code>{found[1]}</code>', text(' '.join(lines)))}</p>"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> str:
    """A table whose first ``texts`` columns are text, the others figures; a long one is folded."""
    first = _rows(columns, rows[:_FIRST_ROWS], texts)
    rest = rows[_FIRST_ROWS:]
    if not rest:
        return first
    more = f"<summary>{len(rest):,} more</summary>{_rows(columns, rest, texts)}"
    return f"{first}<details>{more}</details>"


def _rows(columns: Sequence[str], rows: Iterable[Sequence[str]], texts: int) -> str:
    head = "".join(
        f'<th scope="col"{_class(at, texts)}>{text(label)}</th>' for at, label in enumerate(columns)
    )
    body = "".join(
        f"<tr>{''.join(f'<td{_class(at, texts)}>{name(cell)}</td>' for at, cell in enumerate(row))}</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _class(at: int, texts: int) -> str:
    return ' class="figure"' if at >= texts else ""


def section(title: str, *body: str, note: str = "") -> str:
    about = f'<p class="dim">{text(note)}</p>' if note else ""
    return f"<section><h2>{text(title)}</h2>{about}{''.join(body)}</section>"


def page(title: str, *body: str) -> str:
    """A whole document, ending in a newline."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{text(title)}</title><style>{_STYLE}</style>"
    )
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(body)}</body></html>\n'
