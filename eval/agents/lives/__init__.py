"""Whole lives told line by line, and what a memory of some fifty facts keeps of them: `chatmem eval lives`.

Other rooms take `cli` and `measure`.
"""
