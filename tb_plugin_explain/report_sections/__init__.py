"""The report's larger sections, a module each: frozen structs of their JSON, and nothing else.

They import nothing of ours. Times end in ``_us``; a figure that the trace cannot give is None.
"""
