"""Training the retrieval agent: SELECTs that were tried and brought the evidence, and the reward that runs them.

To import: `recipe.train`; the rest is this room's own.
"""
