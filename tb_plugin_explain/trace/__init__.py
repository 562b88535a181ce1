"""Reads one trace file into columns. Knows nothing of what is above it."""
