"""Training the answer agent: questions over what search recalls, when an answer is right, and preference pairs.

To import: `recipe.train`; the rest is this room's own.
"""
