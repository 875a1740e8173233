"""What runs under the user's interpreter: standard library and torch only, Python 3.8 or newer.

Started by path (``python .../worker/main.py``), it imports torch once, then forks one sandboxed
child per probe. It imports nothing of ours outside this folder; ``protocol`` is what the tool shares.
"""
