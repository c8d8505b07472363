"""How what a data set holds gets into a store of memories.

Import `ingest` for whole conversations, `stores` for those of a run, `notes` and `locomo_memory` for human notes.
"""
