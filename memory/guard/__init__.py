"""May this SQL, written by a model or a person, be run? Import `guard.check_read` and `check_write` for the
verdict, `sandbox` to run what passed, `view` for what a statement may see, and `tokens` and `parsing` to read SQL.
"""
