"""Models of transformers, in 4 bits where asked: import `lm.TransformersLM` and `base.load_base`. Needs the extra
`hf`.
"""
