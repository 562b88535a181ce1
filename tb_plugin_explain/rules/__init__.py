"""One module, one ``RULE``: a question to a run, answered with findings.

A rule reads analyses; of event columns only where its evidence stands. It yields findings, yields
nothing where all is well, and raises ``NotMeasured`` where the trace cannot tell. Thresholds are
named constants in the rule's own file, each with its reason.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from tb_plugin_explain.findings import Finding
from tb_plugin_explain.step_analyses import RunAnalyses


class Rule(Struct, frozen=True):
    """A question that is put to every run.

    why: why the question matters, for the generated page of rules.
    link: where to read on.
    about_trust: whether the answer concerns the trace and not the run; only such rules are asked
        of a file that was cut off, whose other figures cannot be relied on.
    """

    id: str
    title: str
    why: str
    link: str
    check: Callable[[RunAnalyses], Iterator[Finding]]
    about_trust: bool = False


def all_rules() -> Sequence[Rule]:
    """Every rule of this package, by module name."""
    modules = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [importlib.import_module(f"{__name__}.{name}").RULE for name in modules]
