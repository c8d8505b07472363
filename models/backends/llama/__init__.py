"""GGUF models through llama.cpp: one copy of the weights for all adapters, prompts kept in its cache, replies side
by side. Import `lm.LlamaLM` and `bf16_copy.reading_copy`.
"""
