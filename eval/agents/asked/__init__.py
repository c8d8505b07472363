"""Questions that count, list, date or order what a memory holds: the bench, its memories, what is measured on it.

To import: `memory` (the values, and a memory told to a store), `measure`, `cli.register`.
"""
