"""Training the editor: decisions about spoiled memories, found by construction or by search, and whole episodes.

To import: `recipe.train`, and `cli.register`, which adds `chatmem data`; the rest is this room's own.
"""
