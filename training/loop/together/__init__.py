"""`chatmem train all`: every agent within so many minutes, supervised and then by reward; what is better is kept.

Import `options.add_arguments` and `run.run`, which is handed the trainers of the single agents.
"""
