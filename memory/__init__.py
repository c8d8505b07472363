"""Floor 0: the memory. Knows no language model. Every floor may import `values`, `errors`, `plugins` and the rooms
below.
"""
