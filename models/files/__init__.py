"""Where model files lie, how a spec names a model, and how one is fetched: import `model_files`, `spec.parse`,
`download.fetch`.
"""
