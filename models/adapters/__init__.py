"""LoRA adapters as files: what one says of itself, its two forms (GGUF and PEFT), and the average of several.
Import `facts`, `to_gguf`, `to_peft` and `merge`.
"""
