"""Floor 0: the memory. Knows no language model."""
