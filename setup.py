"""Lets tools that still call setup.py build the package; all metadata is in pyproject.toml."""

from setuptools import setup

setup()
