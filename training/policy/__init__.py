"""The model that learns: its rows as text and tokens, base and adapter, likelihoods and samples.

To import: all of `rows` (it needs no torch), `sampling` (`Task`, `policy`, `draw`), `base.load_base`, `lora.attach`,
`likelihood`, `start_weights.Started`. `fused_llama` is only reached through `likelihood`.
"""
