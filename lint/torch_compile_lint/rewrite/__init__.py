"""Building blocks of a rule's ``fix.py``: text of nodes, statements and their lines, legality.

Everything here is a pure function of a ``FunctionView`` and its source; nothing knows about
files. What a block cannot prove legal it declines by returning None: a fix that is not offered
costs less than a wrong one.
"""
