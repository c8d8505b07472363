"""Training what search ranks with: the question encoder and the ranker of lines, and how packing weighs sentences.

To import: `recipe.train`, `options.add_arguments`, and `rows` (questions with the lines that answer them).
"""
