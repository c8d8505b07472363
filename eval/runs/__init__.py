"""What a run needs that takes long, whatever it measures.

Import `records` (goes on after a kill), `progress`, `models`, `requests` (many at once, paced) and `provenance`.
"""
