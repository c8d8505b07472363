"""How far a memory can be trusted, in one report: `chatmem eval trust`, over what the other evaluators measure.

Other rooms take `cli`, and `talks` for the form of talks that are asked after.
"""
