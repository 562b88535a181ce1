"""What the glossary says of one name: facts for analyses, texts for readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct, field

# expected: healthy. artefact: of the profiler or of asynchronous execution, no cost of the program.
# depends: the text says on what. avoidable: costs time that another way of doing it saves.
Verdict = Literal["expected", "artefact", "depends", "avoidable"]


class Facts(Struct, frozen=True, kw_only=True):
    """What the name itself tells; None or empty where it does not.

    library: who wrote the code that runs, for example ``cuBLAS``.
    operation: what it computes or does, in a few words.
    dtype: of the operands (``fp32``, ``tf32``, ``bf16``, ``fp16``, ``fp8``, ``int8``, …). ``tf32`` are
        fp32 operands that tensor cores round.
    tile: what one thread block computes, ``MxN`` or ``MxNxK``.
    tensor_cores: whether matrix units do the multiplying (tensor cores, or AMD's matrix cores).
    fused_ops: the operators that one generated kernel stands for.
    direction: of copies, for example ``host to device``; of passes ``forward`` or ``backward``.
    collective: the communication that GPUs do together, for example ``all-reduce``.
    details: whatever else the name holds, for example ``{"architecture": "Ampere"}``.
    """

    library: str | None = None
    operation: str | None = None
    dtype: str | None = None
    tile: str | None = None
    tensor_cores: bool | None = None
    fused_ops: Sequence[str] = ()
    direction: str | None = None
    collective: str | None = None
    details: Mapping[str, str] = field(default_factory=dict)


class Term(Struct, frozen=True):
    """A word that the texts use. forms: the spellings that mean it, its heading first; text: what it is."""

    id: str
    forms: Sequence[str]
    text: str


class Explanation(Facts, frozen=True, kw_only=True):
    """The answer to “what is this?”.

    entry: id of the entry that speaks, a family where nobody listed the name.
    human: a name for people. what, why, problem: plain sentences; ``verdict`` sums up the last. Of a
        word, which is no event, ``what`` says it all, and the other two are empty.
    sources: where the statements can be checked.
    telling: whether this says more than the event's category alone.
    """

    name: str
    category: str
    entry: str
    human: str
    what: str
    why: str
    problem: str
    verdict: Verdict
    sources: Sequence[str]
    telling: bool
