"""An explanation as lines of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tb_plugin_explain.glossary.explanation import Explanation, Term


def as_text(explanation: Explanation, terms: Sequence[Term] = ()) -> str:
    """Human name, name, sentences, facts, terms, sources; a paragraph each."""
    parts = [f"{explanation.human}\n{explanation.name}", explanation.what]
    parts.append(f"Why it is there: {explanation.why}" if explanation.why else "")
    parts.append(f"A problem? {explanation.problem}")
    parts.append("\n".join(f"{label}: {value}" for label, value in fact_lines(explanation)))
    parts.append("\n".join(f"{term.forms[0]}: {term.text}" for term in terms))
    parts.append("\n".join(f"Source: {source}" for source in explanation.sources))
    return "\n\n".join(part for part in parts if part)


def fact_lines(explanation: Explanation) -> Iterator[tuple[str, str]]:
    """The facts that are known, each with its label."""
    named = {
        "Library": explanation.library,
        "Operation": explanation.operation,
        "Collective": explanation.collective,
        "Precision": explanation.dtype,
        "Tile": explanation.tile,
        "Tensor cores": {True: "yes", False: "no", None: None}[explanation.tensor_cores],
        "Direction": explanation.direction,
        "Fused operators": ", ".join(explanation.fused_ops) or None,
    }
    details = {key.replace("_", " ").capitalize(): value for key, value in explanation.details.items()}
    return ((label, value) for label, value in {**named, **details}.items() if value is not None)
