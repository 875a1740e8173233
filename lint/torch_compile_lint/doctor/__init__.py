"""The walk people are told to do by hand: compiled? fell back? recompiles? faster? where? worth it?

``session`` speaks with the worker, ``walk`` decides what to measure next, ``reasons`` turns measurements
into a verdict (pure functions), ``prices`` joins findings and milliseconds, ``report_*`` show it.
"""
