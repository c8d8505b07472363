"""Training the storage agent: rows of SQL, the reward that runs them, and a personal adapter from corrections.

To import: `recipe.train`, `personal.train` and `personal.open_and_find`; the rest is this room's own.
"""
