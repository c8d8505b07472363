"""Floor 1: language models, embedders and the agents that use them.

Import `registry.load` for a model, `lm` for what any model is, `api.Memory` for a person's memory.
"""
