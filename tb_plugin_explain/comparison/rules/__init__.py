"""One module, one ``RULE``: a question to two compared runs, answered with findings.

Like the rules of one run: a rule yields findings, yields nothing where all is well, and raises
``NotMeasured`` where the traces cannot tell. Figures are of a step; ``at_stake_us`` of the candidate's.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from tb_plugin_explain.comparison.compared import Compared
from tb_plugin_explain.findings import Finding


class ComparisonRule(Struct, frozen=True):
    """A question that is put to every pair. why: for the generated page; link: where to read on."""

    id: str
    title: str
    why: str
    link: str
    check: Callable[[Compared], Iterator[Finding]]


def all_comparison_rules() -> Sequence[ComparisonRule]:
    """Every rule of this package, by module name."""
    modules = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [importlib.import_module(f"{__name__}.{name}").RULE for name in modules]
