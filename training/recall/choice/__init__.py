"""Training of the agent that chooses by number: which known facts a line ends.

To import: `recipe.train`, `ended_rows.ended_rows`.
"""
