"""Builders of the report's larger sections, one module each."""
