"""Answers in several steps: a loop over five tools, for models that choose them and, by rule, for the small one; others
take `loop.Hopper`."""
