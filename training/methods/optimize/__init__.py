"""Prompts tuned to a model by DSPy: our agents without an adapter as its programs, our rewards as its metrics.

To import: `cli` by the command line, `forms` by who shows what an agent is told by hand.
"""
