"""Bits of the column ``kind_is``: what stands in the chain from a source line to a kernel."""

SOURCE = 1
MODULE = 2
ANNOTATION = 4
OPERATOR = 8
CALL = 16
