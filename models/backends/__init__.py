"""The three ways to run a model: llama.cpp, transformers, and endpoints that speak OpenAI's protocol. Only
`registry` and `training/` import from here; all others ask `registry.load` for an `LM`.
"""
