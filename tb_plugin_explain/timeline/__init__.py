"""The timeline of a trace: columns made once by ``build``, and windows of them, read by a server.

docs/timeline.md says how. What reads (``store``, ``window``, ``event``, ``search``) imports no analysis.
"""
