"""The vectors of a user and kind in memory, and how they get there from the database.

To import: `shelf` (the vectors as search compares them), `reading` (read whole, and brought up to date), `blocks` (many
of them packed into one row, so that a start reads hundreds of rows instead of a million), `packing` (the thread that
packs). Imports of chatmem only `database` and `search.nearest`.
"""
