"""Verification: really compile what was flagged, and say which findings are true.

``plan`` decides what to probe, ``workers`` runs the probes under the user's interpreter, ``judge`` compares
claims with what was observed. Torch is never imported here.
"""
