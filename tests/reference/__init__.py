"""A slow, independent reading of the definitions, for the tests to compare the package against.

It shares no code with the package and uses the standard library only.
"""

from .report import reference_report

__all__ = ["reference_report"]
