"""An explanation as lines of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tb_plugin_explain.glossary.explanation import Explanation, Term

# Names of matrix multiplies hold a letter for each input: nt.
_TRANSPOSED = {"n": "no", "t": "yes"}
_CONJUGATED = {"c": "yes, with each number conjugated"}


def as_text(explanation: Explanation, terms: Sequence[Term] = ()) -> str:
    """Human name, name, sentences, facts, terms, sources; a paragraph each."""
    names = dict.fromkeys((explanation.human, explanation.name))
    parts = ["\n".join(names), explanation.what]
    parts.append(f"Why it is there: {explanation.why}" if explanation.why else "")
    parts.append(f"A problem? {explanation.problem}" if explanation.problem else "")
    parts.append("\n".join(f"{label}: {value}" for label, value in fact_lines(explanation)))
    defined = [f"{term.forms[0]}: {term.text}" for term in terms]
    parts.append("\n".join(["Words", *defined]) if defined else "")
    parts.append("\n".join(f"Source: {source}" for source in explanation.sources))
    return "\n\n".join(part for part in parts if part)


def sentences(explanation: Explanation) -> str:
    """All that is said of a name, without the name itself."""
    said = (explanation.human, explanation.what, explanation.why, explanation.problem)
    return "\n".join([*said, *(f"{label}: {value}" for label, value in fact_lines(explanation))])


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
    details = {_label(key, value): value for key, value in explanation.details.items()}
    return ((label, value) for label, value in {**named, **details}.items() if value is not None)


def _label(detail: str, value: str) -> str:
    if detail == "layout":
        letters = _TRANSPOSED | (_CONJUGATED if "c" in value else {})
        meanings = ", ".join(f"{letter} = {meaning}" for letter, meaning in letters.items())
        return f"Inputs transposed ({meanings})"
    return detail.replace("_", " ").capitalize()
