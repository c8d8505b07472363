"""The SQLite file: its engine, its tables, rows to values, and whether a disk is full. Import `engine.Database`,
`tables`, the functions of `rows`, and `disk_full.says_full`.
"""
