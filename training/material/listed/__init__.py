"""Memories in which things come again and again (films, runs, visits), and questions that count, list, date or order
them: what plain search can't answer. To import: `memories.written`; `series` reads the texts.
"""
