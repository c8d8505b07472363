"""Cosines of a question with all vectors of a user: looked up, the nearest taken, of turns by their passages.

To import: `numbers` (which number a passage has), `similarities` (all cosines at hand), `wide` (so many vectors that
only the most promising are compared exactly). Imports nothing of chatmem.
"""
