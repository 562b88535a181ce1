"""Figures from columns: one module an analysis, each a pure function and its result."""
