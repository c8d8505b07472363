"""The commands of `chatmem` that have no room of their own: memory, sessions, sql, tidy, data, train, eval, paths.

Nothing is imported from here; `cli.py` finds each by its name.
"""
