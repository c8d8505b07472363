"""Models behind an OpenAI-compatible endpoint: import `lm.OpenAILM`; `errors` says in one sentence what an endpoint
meant.
"""
