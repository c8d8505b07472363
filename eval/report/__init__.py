"""What people read of a record: tables, pairs of runs, charts, and experiment trackers.

Import `tables` to show or print measures; the rest belongs to `chatmem eval report` and `chatmem eval compare`.
"""
