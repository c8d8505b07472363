"""Floor 1: language models, embedders and the agents that use them."""
