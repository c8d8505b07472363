"""Which told sentence answers, which fact a line ends: the reader's weights, and the model that chooses by number.

To import: `recipe.train`, `ended_rows.ended_rows`, `answer_rows.answer_rows`, `reader_fit.cases_of`.
"""
