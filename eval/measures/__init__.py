"""Pure measures with their intervals: no model, no store, no file.

Import `text` and `ranking` for one answer or ranking, `intervals` for the sum of many, `scores` for a record's table.
"""
